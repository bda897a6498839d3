#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_output.sh README PROGRAM [ARGUMENT…]: the program succeeds and prints, on standard output,
# what the first ```text block after the heading "Output" of README says.
set -euo pipefail
readme=$1
shift

expected=$(mktemp)
actual=$(mktemp)
trap 'rm -f "$expected" "$actual"' EXIT

awk '
  /^#+ Output/ { heading = 1; next }
  heading && !inside && /^```text$/ { inside = 1; next }
  inside && /^```$/ { closed = 1; exit }
  inside { print }
  END { exit !closed }
' "$readme" >"$expected" || {
  echo "$readme: has no \`\`\`text block after a heading Output" >&2
  exit 1
}

"$@" >"$actual" || {
  echo "$*: ended with status $?" >&2
  exit 1
}
diff -u --label "$readme" --label "what the program prints" "$expected" "$actual"
