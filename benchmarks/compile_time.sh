#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CPU seconds that each file named takes to compile at -O0, the best of three; without names, of the
# sample of a user's file. Usage: benchmarks/compile_time.sh [file…]
set -euo pipefail
shopt -s nullglob

root=$(cd "$(dirname "$0")/.." && pwd)
(($#)) || set -- "$root/benchmarks/compile_time/service.cpp"

flags=(-std=c++20 -O0 -isystem /usr/include/eigen3)
for folder in monitoring actors topology services; do
  flags+=(-I "$root/$folder/include")
done

# User and system time of one compilation, in seconds.
compile() {
  TIMEFORMAT='%U %S'
  { time "${CXX:-c++}" "${flags[@]}" -c "$1" -o /dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}

for file in "$@"; do
  best=$(for _ in 1 2 3; do compile "$file"; done | sort -g | head -n 1)
  printf '%6.2f s  %s\n' "$best" "$file"
done
