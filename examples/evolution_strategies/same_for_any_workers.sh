#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# same_for_any_workers.sh PROGRAM: to the last bit, and not so with another seed.
set -euo pipefail
program=$1

one=$("$program" --workers=1)
for workers in 3 8; do
  diff -u --label "1 worker" --label "$workers workers" <(echo "$one") \
    <("$program" --workers=$workers)
done
if diff -q <(echo "$one") <("$program" --seed=2) >/dev/null; then
  echo "another seed gives the same run" >&2
  exit 1
fi
