#!/bin/bash
# slurm/check.sh on a cluster of one node, which this test starts: munged, slurmctld and slurmd, with all files in a folder of
# its own. Needs root. Usage: slurm_test.sh WARPCHECK IW_TRAFFIC
PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch scontrol; do
    command -v $tool >/dev/null || { echo "not available: $tool: skipped"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "not root, who has to start slurmd: skipped"; exit 77; }
# shellcheck source=recipes/capture.sh
. "$(dirname "$(realpath "$0")")/capture.sh"
cluster=$(mktemp -d /tmp/slurm.XXXXXX) || exit 99 # a short name: it becomes that of a socket
started=()
# shellcheck disable=SC2317  # reached through the trap
finish() {
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
    wait
    rm -rf "$work" "$cluster"
}
trap finish EXIT
# expect LOG PATTERN PID: until the log has the pattern; fails if the process ends before
expect() {
    until grep -qE "$2" "$1" 2>/dev/null; do
        kill -0 "$3" 2>/dev/null || { echo "ended: $1" >&2; tail -n 5 "$1" >&2; exit 99; }
        sleep 0.1
    done
}

chmod 755 "$cluster" "$work"
dd if=/dev/urandom of="$cluster/munge.key" bs=64 count=1 status=none
chmod 400 "$cluster/munge.key"
munged --foreground --socket="$cluster/munge.socket" --key-file="$cluster/munge.key" --pid-file="$cluster/munge.pid" \
    --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed" --force 2>"$cluster/munge.err" &
started+=($!)
until [ -S "$cluster/munge.socket" ]; do
    kill -0 "${started[0]}" 2>/dev/null || { cat "$cluster/munge.err" "$cluster/munge.log" >&2; exit 99; }
    sleep 0.1
done

node=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$cluster/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
mkdir "$cluster/state" "$cluster/spool"
export SLURM_CONF=$cluster/slurm.conf
slurmctld -D -f "$SLURM_CONF" 2>/dev/null &
started+=($!)
expect "$cluster/slurmctld.log" 'Running as primary|slurmctld version .* started' "${started[1]}"
slurmd -D -f "$SLURM_CONF" -N "$node" 2>/dev/null &
started+=($!)
expect "$cluster/slurmd.log" 'slurmd started|slurmd version .* started' "${started[2]}"

export WARPCHECK=$program
# Slurm itself gives up what does not start or end: the test has to end, too.
SBATCH_TIMELIMIT=5 timeout 300 "$recipes/slurm/check.sh" out 5 big-1.pcap big-2.pcap big-3.pcap 2>check.log
same out $?
[ "$(find out -name 'shard-*.jsonl' -size +0 | wc -l)" -eq 5 ] || complain "not five results: $(cat check.log "$cluster"/*.log | tail -n 20)"

# Results of an earlier run do not stand in for those of a task that fails.
mkdir wrong
cp out/shard-5.jsonl wrong/
WARPCHECK=/nonexistent timeout 300 "$recipes/slurm/check.sh" wrong 2 big-1.pcap 2>/dev/null
code=$?
[ $code -eq 3 ] || complain "a missing program: exit code $code"
SBATCH_PARTITION=none "$recipes/slurm/check.sh" wrong 2 big-1.pcap 2>/dev/null
code=$?
[ $code -eq 3 ] || complain "no such partition: exit code $code"
[ ! -e wrong/shard-5.jsonl ] || complain "results of an earlier run were left"
exit $failed
