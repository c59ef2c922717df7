#!/bin/sh
# parallel.sh OUT SHARDS FILE...: checks a capture in SHARDS parts by GNU parallel; the results are OUT/results.jsonl.
# Several files are one capture. Environment:
#   SSHLOGIN   hosts for --sshlogin of GNU parallel, such as "8/rnic1,8/rnic2": each gets the shards that it checks, and needs
#              warpcheck and rsync. Without it, this machine checks all.
#   WARPCHECK  the program [warpcheck]
#   CHECK      options of `warpcheck check`, such as "--extensions none"
# Exit code: that of one check of the whole capture.
set -eu
[ $# -ge 3 ] || { echo "parallel.sh: usage: parallel.sh OUT SHARDS FILE..." >&2; exit 3; }
out=$1 shards=$2
shift 2
program=${WARPCHECK:-warpcheck}

# A capture that ends early is split nevertheless, and the shards tell it to `check`.
"$program" split --out "$out" --shards "$shards" "$@" || [ -e "$out/shard-$shards.pcapng" ]
cd "$out"
[ -z "${SSHLOGIN:-}" ] || set -- --sshlogin "$SSHLOGIN" --workdir ... --transferfile '{}' --return '{.}.jsonl' --cleanup
[ -n "${SSHLOGIN:-}" ] || set --
# Exit codes up to 2 are verdicts; a job that could not check its shard is repeated once.
seq "$shards" | sed 's/.*/shard-&.pcapng/' |
    parallel --will-cite --retries 2 "$@" \
        "$program check --format jsonl ${CHECK:-} {} >{.}.jsonl; code=\$?; [ \$code -le 2 ] || exit \$code"
"$program" report --merge --out results.jsonl shard-*.jsonl
