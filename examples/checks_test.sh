#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_output.sh and check_quotes.sh pass what they should and nothing else.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fence='```'

passes() {
  local what=$1
  shift
  "$@" >"$folder/said" 2>&1 || { echo "$what: should pass, but: $(cat "$folder/said")" >&2; exit 1; }
}

fails() {
  local what=$1
  shift
  if "$@" >"$folder/said" 2>&1; then
    echo "$what: should fail, but passes" >&2
    exit 1
  fi
}

readme=$folder/README.md
printf '%s\n' '# It' "${fence}text" 'a picture' "$fence" '## Output' "${fence}text" 'one' 'two' \
  "$fence" >"$readme"
check="$here/check_output.sh"
passes "the output as written" "$check" "$readme" printf 'one\ntwo\n'
fails "another output" "$check" "$readme" printf 'one\nthree\n'
fails "a line more" "$check" "$readme" printf 'one\ntwo\nthree\n'
fails "no output" "$check" "$readme" true
fails "the output and a failure" "$check" "$readme" bash -c 'printf "one\ntwo\n"; exit 3'
printf '%s\n' '# It' "${fence}text" 'one' "$fence" >"$readme"
fails "a README without output" "$check" "$readme" printf 'one\n'

source=$folder/it.cpp
printf '%s\n' 'int main() {' '  if (true) {' '    return 0;' '  }' '}' >"$source"
check="$here/check_quotes.sh"
quote() {
  printf '%s\n' "${fence}cpp" "$@" "$fence" >"$readme"
}
quote 'int main() {' '  if (true) {'
passes "a quotation" "$check" "$readme" "$source"
quote 'if (true) {' '  return 0;' '}'
passes "a quotation that is indented in its source" "$check" "$readme" "$source"
passes "a quotation from the second source" "$check" "$readme" "$here/checks_test.sh" "$source"
quote 'if (true) {' 'return 0;'
fails "another indentation" "$check" "$readme" "$source"
quote 'int main() {' '  if (false) {'
fails "another line" "$check" "$readme" "$source"
quote 'main() {'
fails "a part of a line" "$check" "$readme" "$source"
printf 'text\n' >"$readme"
fails "a document without code" "$check" "$readme" "$source"
