#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# same_as_coreutils.sh TEXT PROGRAM: the program counts the words of TEXT as coreutils do, however
# many mappers and reducers share the work.
set -euo pipefail
export LC_ALL=C
text=$1
program=$2

# count_words SIZE: as a table of the SIZE most frequent ones
count_words() {
  tr 'A-Z' 'a-z' <"$text" | tr -cs 'a-z' '\n' | grep . | sort | uniq -c | sort -k1,1nr -k2,2 |
    awk -v size="$1" 'NR <= size { printf "%5d %s\n", $1, $2 }'
}

# same SIZE FLAG…
same() {
  local size=$1
  shift
  diff -u --label coreutils --label "the program with $*" <(count_words "$size") \
    <("$program" --text="$text" --words="$size" "$@")
}

same 12 --mappers=4 --reducers=3
same 12 --mappers=1 --reducers=1
same 100000 --mappers=3 --reducers=7
