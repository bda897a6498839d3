#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_test.sh COMPILER: check.sh passes what it should and nothing else.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check.sh
compiler=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# try SOURCE EXPECTED: the verdict of check.sh in $output, its status as this function's
try() {
  printf '%s\n' "$1" >"$folder/it.cpp"
  printf '%s\n' "$2" >"$folder/it.expected"
  output=$("$check" "$folder/it.cpp" "$compiler" 2>&1)
}

passes() {
  try "$2" "$3" || { echo "$1: should pass, but: $output" >&2; exit 1; }
}

# fails WHAT SOURCE EXPECTED VERDICT
fails() {
  if try "$2" "$3"; then
    echo "$1: should fail, but passes" >&2
    exit 1
  fi
  grep -qF -- "$4" <<<"$output" || { echo "$1: should say '$4', but: $output" >&2; exit 1; }
}

wrong='#ifndef CALLBOARD_MUST_COMPILE
static_assert(false, "no [such] thing; really");
#endif'

passes "a refusal with the text" "$wrong" 'no [such] thing; really'
fails "a refusal with another text" "$wrong" 'no other thing' "does not say 'no other thing'"
fails "one line of two missing" "$wrong" $'no [such] thing\nno other thing' \
  "does not say 'no other thing'"
fails "a file that compiles" 'int i;' 'no such thing' 'compiles, but must be refused'
fails "a file with another mistake" "$wrong"$'\nnonsense' 'no [such] thing' 'does not compile with'
fails "nothing expected" "$wrong" '' 'missing or empty'
