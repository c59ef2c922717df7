#!/bin/sh
# The agent over TLS: `serve`, `run` and `probe`, with a key and with certificates; without either, only with --insecure.
# Usage: tls_test.sh WARPCHECK
# shellcheck source=conformance/cli/expect.sh
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 99
umask 077 # else the program warns of each key and token

# openssl_or_end ARGUMENT...
openssl_or_end() {
    openssl "$@" 2>openssl.log || { cat openssl.log && exit 99; }
}
make_authority() {
    openssl_or_end req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -days 1 -keyout "$1.key" -out "$1.pem"
}
# make_certificate NAME ISSUER: certificate and key of 127.0.0.1, certified by ISSUER.
make_certificate() {
    printf 'subjectAltName=IP:127.0.0.1\n' >names
    openssl_or_end req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out request
    openssl_or_end x509 -req -in request -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 1 -extfile names -out "$1.pem"
}
make_authority authority
make_authority stranger
make_certificate agent authority
make_certificate suite authority
make_certificate intruder stranger
openssl rand -hex 32 >key
openssl rand -hex 32 >wrong

# begin_agent OPTION...: `serve` with an agent; its port is $agent.
begin_agent() {
    begin_serve --agent 0 "$@"
    read -r agent <&3
    agent=${agent#agent on 127.0.0.1:}
}
run_one() {
    code=$1 line=$2
    shift 2
    expect "$code" "$line" run --peer "127.0.0.1:$port" --agent "$agent" --only '^(mpa-initiator-001|rdma-write-001)$' --no-out "$@"
}

begin_agent --tls-psk key
run_one 0 '' --tls-psk key
says '^2 cases: 2 pass, 0 fail,'
expect 0 '' probe --peer "127.0.0.1:$port" --agent "$agent" --tls-psk key --out found.lua
grep -qx '  roles = {"responder", "initiator"},' found.lua || complain 'no initiator found' probe
expect 0 '' differential --random 2 --tls-psk key reference "127.0.0.1:$port,$agent"
run_one 3 "warpcheck: agent 127.0.0.1:$agent: TLS: .*" --tls-psk wrong
chmod 640 key
run_one 0 'warpcheck: key: other users can use this secret \(mode 0640\): chmod 600' --tls-psk key
chmod 600 key
run_one 3 "warpcheck: agent 127.0.0.1:$agent.*" # in the clear
# A client that never ends its handshake, one that sends garbage: others are served.
python3 - "$agent" <<'PYTHON' &
import os, signal, socket, sys
silent = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(20)]
for number, client in enumerate(silent):
    client.sendall(os.urandom(50) if number % 2 else b"\x16\x03\x01\x02\x00\x01")
open("called", "w").close()
signal.pause()
PYTHON
hostile=$!
until [ -e called ]; do
    kill -0 $hostile 2>/dev/null || { complain 'the hostile client has ended' serve && break; }
done
run_one 0 '' --tls-psk key
kill $hostile
end_serve TERM

begin_agent --tls-cert agent.pem --tls-key agent.key
run_one 0 '' --tls-ca authority.pem
run_one 3 "warpcheck: agent 127.0.0.1:$agent: TLS: certificate verify failed: .*" --tls-ca stranger.pem
run_one 3 "warpcheck: agent 127.0.0.1:$agent: TLS: certificate verify failed: .*" --tls
end_serve TERM

begin_agent --tls-cert agent.pem --tls-key agent.key --tls-ca authority.pem
run_one 0 '' --tls-ca authority.pem --tls-cert suite.pem --tls-key suite.key
run_one 3 "warpcheck: agent 127.0.0.1:$agent: TLS: .*" --tls-ca authority.pem
run_one 3 "warpcheck: agent 127.0.0.1:$agent: TLS: .*" --tls-ca authority.pem --tls-cert intruder.pem --tls-key intruder.key
end_serve TERM

# What other hosts can reach is encrypted, unless the user insists.
echo secret >token
expect 3 'warpcheck serve: --agent at 0.0.0.0, which others can reach, needs --token-file, --tls-psk or --tls-ca' serve --agent 0.0.0.0:0 --tls-cert agent.pem --tls-key agent.key
expect 3 'warpcheck serve: --agent at 0.0.0.0, which others can reach, needs --tls, or --insecure' serve --agent 0.0.0.0:0 --token-file token
expect 3 'warpcheck run: --agent at 192.0.2.7, on another host, needs --tls, or --insecure' run --peer 192.0.2.7:1 --agent 2 --token-file token --no-out
expect 3 'warpcheck probe: --agent at 192.0.2.7, on another host, needs --tls, or --insecure' probe --agent 192.0.2.7:2 --token-file token
expect 3 'warpcheck differential: --agent at 192.0.2.7, on another host, needs --tls, or --insecure' differential reference 192.0.2.7:1,2
# 127.0.0.1 by another way: a server for all addresses.
begin_serve --agent 0.0.0.0:0 --token-file token --insecure
read -r agent <&3
agent=${agent#agent on 0.0.0.0:}
run_one 0 '' --token-file token
end_serve TERM
expect 3 'warpcheck run: --tls goes with --agent' run --peer 127.0.0.1:1 --tls
expect 3 'warpcheck run: --insecure goes with --agent' run --peer 127.0.0.1:1 --insecure
expect 3 'warpcheck serve: --tls goes with --agent' serve --tls-psk key
expect 3 'warpcheck serve: --tls: this side needs a certificate or a pre-shared key' serve --agent 0 --tls
expect 3 'warpcheck serve: --tls: a certificate and its private key go together' serve --agent 0 --tls-cert agent.pem
expect 3 'warpcheck run: --tls: token: its first line must be a key of 32 to 128 hexadecimal digits' run --peer 127.0.0.1:1 --agent 2 --tls-psk token
exit $failed
