#!/bin/bash
# agent_test.sh WARPCHECK: warpcheck-agent on siw keeps the contract of docs/agent.md, which agent_test.py also tests with the
# agent of the reference; and many sessions leave no object of the device behind. Exit code 77 as in suite_test.sh.
#   ROUNDS       how often agent_test.py runs, with 7 sessions each (default 10)
#   AGENT, CTL   as in boot.sh (default: 17178 and 17004)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$(mktemp -d)
rounds=${ROUNDS:-10}
export PORT=${PORT:-17179} AGENT=${AGENT:-17178} CTL=${CTL:-17004} LIMIT=${LIMIT:-1200}

guest=''
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  [ -z "$guest" ] || { kill "$guest" 2>/dev/null || true; wait "$guest" 2>/dev/null || true; }
  rm -rf "$out"
}
fail() { echo "$*"; tail -n 20 "$out/console.log" 2>/dev/null || true; exit 1; }

# The numbers of PDs, CQs, QPs, MRs and so on of siw: "0: siw0: pd 2 cq 3 ...".
objects() { "$here/shell.sh" rdma resource show; }

[ -x "$(dirname "$1")/warpcheck-agent" ] || { echo "no warpcheck-agent: librdmacm-dev was missing when warpcheck was built"; exit 77; }
work=${WORKDIR:-$root/build/siw${KERNEL:+-$KERNEL}}
"$here/build.sh" "$work" || exit 77
trap at_exit EXIT
"$here/tester.sh" "$out/initramfs" "$1" "$(dirname "$1")/warpcheck-agent"
cat "$work/initramfs.cpio.gz" >>"$out/initramfs"
: >"$out/console.log"
# Without --port: agent_test.py has two sessions at a time, each with a listener of the device.
INITRD=$out/initramfs "$here/boot.sh" agent warpcheck-agent --listen 0.0.0.0:7175 --token-file /etc/agent-token --insecure >"$out/console.log" 2>&1 &
guest=$!
deadline=$((SECONDS + 120))
until grep -q LISTENING "$out/console.log"; do
  kill -0 "$guest" 2>/dev/null || fail "the guest has ended"
  [ $SECONDS -lt $deadline ] || fail "the guest does not listen after 120 s"
  sleep 0.1
done

contract() {
  python3 "$root/docs/agent_test.py" --agent "$AGENT" 10.0.2.15 "$(cat "$here/guest/agent-token")" >"$out/test" 2>&1 ||
    fail "round $1: $(cat "$out/test")"
}

# Waits until the device has only what belongs to no session: a context, and a PD that librdmacm keeps once it has had a connection.
until_released() {
  local now deadline=$((SECONDS + 20))
  until now=$(objects) && [[ $now == *" pd 1 cq 0 qp 0 cm_id 0 mr 0 ctx 1 "* ]]; do
    [ $SECONDS -lt $deadline ] || fail "after $1 rounds, the device still has $now"
    sleep 0.1
  done
}

for ((i = 1; i <= rounds; i++)); do contract "$i"; done
until_released "$rounds"
! grep -E 'BUG|Oops|ended with' "$out/console.log" || fail "the guest or the agent has failed"
echo "$rounds rounds, $((7 * rounds)) sessions: $(objects)"
