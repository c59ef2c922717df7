#!/bin/sh
# check.sh OUT SHARDS FILE...: checks a capture as a job array of Slurm; the results are OUT/results.jsonl. Each task reads the
# files and judges its part of the connections: the nodes share a file system, and nothing is copied. Several files are one
# capture. Environment:
#   WARPCHECK  the program [warpcheck]
#   CHECK      options of `warpcheck check`, such as "--extensions none"
#   SBATCH_*   options of sbatch, such as SBATCH_PARTITION
# Exit code: that of one check of the whole capture.
set -eu
[ $# -ge 3 ] || { echo "check.sh: usage: check.sh OUT SHARDS FILE..." >&2; exit 3; }
here=$(dirname "$(realpath "$0")")
mkdir -p "$1"
out=$(realpath "$1") shards=$2
shift 2
WARPCHECK=${WARPCHECK:-warpcheck}
export WARPCHECK

# Results of an earlier run must not stand in for those of a task that does not start.
rm -f "$out"/shard-*.jsonl "$out/results.jsonl" "$out/merge.log"
# The merge starts after the last task; if a task cannot check its part, the merge refuses the results of the others.
array=$(sbatch --parsable --array="1-$shards" --output="$out/task-%a.log" "$here/task.sh" "$out" "$@") || exit 3
if sbatch --wait --dependency="afterany:$array" --output="$out/merge.log" "$here/merge.sh" "$out" "$shards" >/dev/null; then
    exit 0
else
    code=$? # sbatch --wait passes on the exit code of the job
    [ ! -e "$out/merge.log" ] || cat "$out/merge.log" >&2
    # Without results it is not a verdict: the job was refused, cancelled, or could not start the program.
    [ -e "$out/results.jsonl" ] || exit 3
    exit $code
fi
