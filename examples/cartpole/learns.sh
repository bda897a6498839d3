#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# learns.sh PROGRAM SEED…: with each seed the program reaches a mean return of 475 over 100 episodes,
# says so, and leaves a learning curve as CSV and as SVG.
set -euo pipefail
program=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

die() {
  echo "$1; it said:" >&2
  cat "$folder/said" >&2
  exit 1
}

# Whether a file is well-formed XML, by whichever tool is here.
is_xml() {
  if command -v xmllint >/dev/null; then
    xmllint --noout "$1"
  elif command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$1"
  else
    [[ $(head -c 4 "$1") == "<svg" && $(tail -n 1 "$1") == *"</svg>" ]]
  fi
}

learns() {
  local seed=$1 csv=$folder/learning_curve.csv svg=$folder/learning_curve.svg
  "$program" --seed="$seed" --output="$folder" >"$folder/said" 2>&1 ||
    die "seed $seed: ended with status $?"
  local said="^cartpole: evaluator/0: solved: a mean return of [0-9.]+ over 100 episodes"
  said+="   seed $seed, [0-9]+ environment steps, [0-9.]+ s   learning curve: $csv, $svg\$"
  tail -n 3 "$folder/said" | paste -s -d ' ' | grep -qE "$said" ||
    die "seed $seed: the last lines should be $said"
  [[ $(head -n 1 "$csv") == seconds,env_steps,version,mean_return,min,max ]] ||
    die "seed $seed: $csv has another header"
  tail -n 1 "$csv" | awk -F, '{ exit !(NF == 6 && $4 >= 475) }' ||
    die "seed $seed: the last row of $csv is $(tail -n 1 "$csv")"
  is_xml "$svg" || die "seed $seed: $svg is no XML"
  tail -n 3 "$folder/said" | head -n 2
}

for seed in "$@"; do
  learns "$seed"
done
