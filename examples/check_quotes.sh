#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_quotes.sh DOCUMENT SOURCE…: each ```cpp block of DOCUMENT stands, as it is, in a SOURCE. All
# lines of a block may be indented by the same number of spaces there.
set -euo pipefail
document=$1
shift

awk -v document="$document" '
  # The lines from first to last in one text, freed of the indentation of the first.
  function without_indent(lines, first, last,    indent, text, i, line) {
    match(lines[first], /^ */)
    indent = RLENGTH
    text = ""
    for (i = first; i <= last; ++i) {
      line = lines[i]
      if (line != "" && substr(line, 1, indent) !~ /^ *$/) return ""
      text = text substr(line, indent + 1) "\n"
    }
    return text
  }
  function quoted(    file, start) {
    for (file = 1; file <= files; ++file)
      for (start = 1; start + size - 1 <= lengths[file]; ++start) {
        for (i = 1; i <= size; ++i) part[i] = source[file, start + i - 1]
        if (without_indent(part, 1, size) == wanted) return 1
      }
    return 0
  }
  FNR == 1 { ++files }
  FILENAME != document { source[files, FNR] = $0; lengths[files] = FNR; next }
  /^```cpp$/ { inside = 1; size = 0; begin = FNR; next }
  inside && /^```$/ {
    inside = 0
    ++blocks
    wanted = without_indent(block, 1, size)
    if (size == 0 || !quoted()) {
      printf "%s:%d: no source has this block as it is\n", document, begin > "/dev/stderr"
      failed = 1
    }
    next
  }
  inside { block[++size] = $0 }
  END {
    if (inside || !blocks) {
      printf "%s: has no code block, or one without end\n", document > "/dev/stderr"
      failed = 1
    }
    exit failed
  }
' "$@" "$document"
