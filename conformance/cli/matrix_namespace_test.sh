#!/bin/sh
# warpcheck matrix with peers in network namespaces of their own. Usage: matrix_namespace_test.sh WARPCHECK
# Skipped (77) if namespaces cannot be made.
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
peers=$here/../matrix/peers
red=warpcheck-red-$$ blue=warpcheck-blue-$$
trap 'ip netns delete "$red" 2>/dev/null; ip netns delete "$blue" 2>/dev/null; rm -rf "$work"' EXIT
skip() {
    echo "not available: $*: skipped"
    exit 77
}
command -v python3 >/dev/null || skip python3
command -v ip >/dev/null || skip "ip (package iproute2)"
if ! ip netns add "$red" 2>/dev/null || ! ip netns add "$blue"; then skip "network namespaces (root)"; fi
# join NAMESPACE LETTER NETWORK: this host is NETWORK.1, the namespace NETWORK.2
join() {
    ip link add "wc$2$$" type veth peer name eth0 netns "$1" &&
        ip address add "$3.1/24" dev "wc$2$$" && ip link set "wc$2$$" up &&
        ip -n "$1" address add "$3.2/24" dev eth0 && ip -n "$1" link set eth0 up && ip -n "$1" link set lo up
}
if ! join "$red" r 198.18.77 || ! join "$blue" b 198.18.78; then skip "veth devices"; fi

cat >"$work/peers.json" <<END
{
  "kinds": {"python": {
    "responder": {"ready": "listening on port ([0-9]+)", "ends": true, "commands": {
      "*": "exec python3 $peers/peer.py responder --scenario {scenario} --host {host}"}},
    "initiator": {"commands": {
      "*": "exec python3 $peers/peer.py initiator --scenario {scenario} --host {host} --port {port} --size {size} --count {count}"}}}},
  "peers": [
    {"name": "red", "kind": "python", "namespace": "$red", "address": "198.18.77.2", "own_host": "198.18.77.1"},
    {"name": "blue", "kind": "python", "namespace": "$blue", "address": "198.18.78.2", "own_host": "198.18.78.1"}
  ]
}
END
expect 0 '' matrix --out "$work/m" --scenario size-4k --evidence all "$work/peers.json"
says '^4 cells: 4 pass, '
# each peer is judged by its own connection, at its own address
judgement=$work/m/cells/red/blue/size-4k/judgement.jsonl
grep -q '"initiator":"198.18.77.2:[0-9]*","device":"198.18.78.1:[0-9]*"' "$judgement" || complain "$(cat "$judgement")" matrix
exit "$failed"
