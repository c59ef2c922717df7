#!/bin/sh
# warpcheck run --network: what it rejects, the suite over networks that need no netem, and what results and reports say of them.
# Usage: network_test.sh WARPCHECK [I/N]: part I of N parts of the cases, by default all.
# Exit code 77: no private network is permitted here. siw_network tests networks with netem.
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

expect 3 'warpcheck run: --network: unknown network los-1 \(see warpcheck list networks\).*' run --network los-1
expect 3 'warpcheck run: --network: loss takes a percentage below 100%, such as 0.5%, not 5.*' run --network loss=5
expect 3 'warpcheck run: --network is for the embedded peer: a private network does not reach a --peer' run --network lan --peer 127.0.0.1:1
expect 3 'warpcheck run: --network is for the embedded peer, without --simulate' run --network lan --simulate
expect 0 '' list networks
says '^loss-1 +loss 1 %, MTU 1500 '
expect 0 '' list networks --format jsonl
says '^\{"network":"reorder","values":"delay=5ms,reorder=25%","words":"reorder 25 %, delay 5 ms, MTU 1500","netem":"limit 100000 delay 5ms reorder 25%","wait_ms":7010,"about":"'
# which cases a network leaves out is known without it
expect 0 '' run --list --network loss-1 --only '^(mpa-crc-001|mpa-fpdu-003)$'
says '^mpa-crc-001 +yes '
says '^mpa-fpdu-003 +not tested .*\(needs TCP segments with the bounds that the case gives them; the network changes them\)$'

"$program" doctor --only '^network$' >"$work/out"
found=$?
if [ $found -ne 0 ]; then
    says '^missing  network '
    # what doctor says is missing, run says too
    expect 3 'warpcheck: --network: .*' run --network lan --no-out --only '^mpa-crc-001$'
    echo 'no private network is permitted here: only the options were tested'
    [ "$failed" -eq 0 ] || exit 1
    exit 77
fi

# ---- what is missing is said ----

if "$program" doctor --only '^netem$' >"$work/out"; then
    expect 0 '' run --network loss-1 --only '^mpa-crc-001$' --out netem
else
    says '^missing  netem      this kernel has no netem$'
    expect 3 'warpcheck: --network: this kernel has no netem; load it .*' run --network loss-1 --only '^mpa-crc-001$' --out netem
    [ ! -e netem ] || complain 'a run that could not begin left results' run --network loss-1
fi

# ---- results and reports name the network ----

expect 0 '' run --network mtu-576 --only '^(mpa-crc-001|rdma-read-001|rdma-initiator-001|rping-client-006)$' --out small
head -n 1 small/results.jsonl | grep -qF '"network":{"profile":"mtu-576","words":"MTU 576","wait_ms":0}' ||
    complain "the first line lacks the network: $(head -n 1 small/results.jsonl)" run --network
expect 0 '' run --network mtu=9000 --only '^(mpa-crc-001|rdma-read-001)$' --out large
for format in text tap matrix; do
    expect 0 '' report --format $format small
    says 'network +mtu-576'
done
expect 0 '' report --format junit small
says '<property name="network" value="mtu-576"/>'
expect 0 '' report --format html small
says '<div><dt>network</dt><dd class="path">mtu-576</dd></div>'
says '<p class="scope">Network mtu-576: MTU 576\.</p>'
expect 2 '' report --compare small large
says '^The networks differ \(run --network\): mtu-576 -> mtu=9000$'
expect 2 '' report --compare small large --format jsonl
says '"network_before":"mtu-576","network_after":"mtu=9000"'
expect 0 '' report --compare small again=small/results.jsonl
! grep -q 'networks differ' "$work/out" || complain 'equal networks differ' report --compare
expect 0 '' report --bundle small.tar small
expect 0 '' verify-bundle small.tar
# the packets of the cases are those of the two hosts
"$program" check --format jsonl small/mpa-crc-001.pcapng >"$work/out"
says '"198\.18\.[0-9]+\.[0-9]+:[0-9]+".*"198\.19\.[0-9]+\.[0-9]+:[0-9]+"'
# a run over another network cannot be continued as the same
expect 0 '' run --resume small

# ---- a defect is found ----

expect 1 '' run --network rate=100mbit --defect crc-wrong --only '^mpa-crc-00[1-9]$' --no-out

# ---- no case fails because of the network ----

for network in mtu-576 mtu-9000 rate-10mbit; do
    expect 0 '' run --network $network --shard "${2:-1/1}" --accept-untested --out "all-$network"
    [ "$failed" -eq 0 ] || grep -E -A 8 '^(FAIL|INCONCL|ERROR) ' "$work/out"
    says ' pass, 0 fail, 0 inconclusive, .* 0 error'
done
exit "$failed"
