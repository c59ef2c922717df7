#!/bin/sh
#SBATCH --job-name=warpcheck-merge
#SBATCH --ntasks=1
# merge.sh OUT SHARDS: the last job of check.sh.
cd "$1" || exit 3
# shellcheck disable=SC2046  # one word each
exec "$WARPCHECK" report --merge --out results.jsonl $(seq "$2" | sed 's/.*/shard-&.jsonl/')
