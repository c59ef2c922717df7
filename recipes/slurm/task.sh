#!/bin/sh
#SBATCH --job-name=warpcheck
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# task.sh OUT FILE...: one task of check.sh. A verdict is no failure of the task.
set -u
out=$1
shift
part=$SLURM_ARRAY_TASK_ID
# shellcheck disable=SC2086  # CHECK is several options
"$WARPCHECK" check --format jsonl --chain all --shard "$part/$SLURM_ARRAY_TASK_COUNT" ${CHECK:-} "$@" >"$out/shard-$part.jsonl"
code=$?
[ $code -le 2 ] || exit $code
