#!/bin/sh
# parallel.sh OUT SHARDS FILE...: checks a capture in SHARDS parts by GNU parallel; the results are OUT/results.jsonl.
# Several files are one capture. Environment:
#   SSHLOGIN   hosts for --sshlogin of GNU parallel, such as "8/rnic1,8/rnic2": each gets the shards that it checks, and needs
#              warpcheck and rsync. Without it, this machine checks all.
#   WARPCHECK  the program [warpcheck]
#   CHECK      options of `warpcheck check`, such as "--extensions none"
# OUT must not have the shards of an earlier run.
# Exit code: that of one check of the whole capture.
set -eu
[ $# -ge 3 ] || { echo "parallel.sh: usage: parallel.sh OUT SHARDS FILE..." >&2; exit 3; }
out=$1 shards=$2
shift 2
program=${WARPCHECK:-warpcheck}

for file in "$out"/shard-*; do
    [ ! -e "$file" ] || { echo "parallel.sh: $out has shards already: remove them, or name another folder" >&2; exit 3; }
done
# A capture that ends early is split nevertheless, and the shards tell it to `check`.
"$program" split --out "$out" --shards "$shards" "$@" || [ -e "$out/shard-$shards.pcapng" ] || exit 3
cd "$out"
[ -z "${SSHLOGIN:-}" ] || set -- --sshlogin "$SSHLOGIN" --workdir ... --transferfile '{}' --return '{.}.jsonl' --cleanup
[ -n "${SSHLOGIN:-}" ] || set --
# A shard whose results are complete has a summary, whatever the verdict; a job without it is repeated once. The exit code of
# parallel is the number of failed jobs, which must not be read as a verdict.
seq "$shards" | sed 's/.*/shard-&.pcapng/' |
    parallel --will-cite --retries 2 "$@" \
        "$program check --format jsonl ${CHECK:-} {} >{.}.jsonl; tail -n 1 {.}.jsonl | grep -q '^{\"type\":\"summary\"'" || {
    echo "parallel.sh: some shards have no results" >&2
    exit 3
}
"$program" report --merge --out results.jsonl shard-*.jsonl
