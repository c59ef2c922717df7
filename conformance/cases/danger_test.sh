#!/bin/sh
# danger_test.sh WARPCHECK: the cases with danger "memory" are those in which the reference refuses what would have changed memory,
# for the place where it would have: Terminates 1/1/00 to 1/1/03 and 0/1/NN about Writes, Read Responses, Atomic Operations.
set -eu
warpcheck=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$warpcheck" run --simulate --out results >/dev/null
grep -lE ' device [a-z]+ .*: Terminate .* layer=0x0(1 .* etype=0x01 .* code=0x0[0-3] |0 .* etype=0x01 ).* \((RDMA Write|RDMA Read Response|Atomic Request|Atomic Write Request)\)' \
    results/*.log | sed -E 's,^results/(.*)\.log$,\1,' | sort >refused
"$warpcheck" list cases --format jsonl | grep -E '"danger":\[[^]]*"memory"' | sed -E 's/^\{"case":"([^"]*)".*$/\1/' | sort >tagged
[ -s refused ] || { echo "no case is refused anything" >&2; exit 1; }
diff refused tagged >differ || { echo "refused a place in memory (<), danger \"memory\" (>):" >&2; cat differ >&2; exit 1; }
