#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh NAME.cpp COMPILER [FLAG…]: NAME.cpp must be refused with every line of NAME.expected, and
# accepted with CALLBOARD_MUST_COMPILE, so that no other mistake in it can pass for the refusal.
set -euo pipefail
source_file=$1
expected_file=${source_file%.cpp}.expected
shift
export LC_ALL=C # plain quotes in messages

fail() {
  printf '%s: %s\n' "$(basename "$source_file")" "$1" >&2
  exit 1
}

grep -q '[^[:space:]]' "$expected_file" || fail "$(basename "$expected_file") is missing or empty"

compile=("$@" -fsyntax-only -fdiagnostics-color=never)
if ! output=$("${compile[@]}" -DCALLBOARD_MUST_COMPILE "$source_file" 2>&1); then
  fail "does not compile with CALLBOARD_MUST_COMPILE either: $output"
fi
if output=$("${compile[@]}" "$source_file" 2>&1); then
  fail "compiles, but must be refused with: $(cat "$expected_file")"
fi
while IFS= read -r line || [[ $line ]]; do
  grep -qF -- "$line" <<<"$output" || fail "the compiler does not say '$line', but: $output"
done <"$expected_file"
