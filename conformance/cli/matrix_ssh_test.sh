#!/bin/sh
# warpcheck matrix with a peer that is started over ssh. Usage: matrix_ssh_test.sh WARPCHECK
# It runs a server of ssh for this host alone, with keys of its own: in a mount namespace, where ~/.ssh is another folder.
# Skipped (77) without root or a server of ssh.
here=$(dirname "$(realpath "$0")")
if [ -z "$MATRIX_SSH_TEST" ]; then
    for need in python3 ssh ssh-keygen /usr/sbin/sshd; do
        command -v $need >/dev/null || {
            echo "not available: $need: skipped"
            exit 77
        }
    done
    unshare -m true 2>/dev/null || {
        echo "not available: mount namespaces (root): skipped"
        exit 77
    }
    MATRIX_SSH_TEST=1 exec unshare -m "$0" "$@"
fi
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
peers=$here/../matrix/peers

# ssh takes the home of the user from the system, not from $HOME.
home=$(getent passwd "$(id -u)" | cut -d : -f 6)
mkdir -p "$home/.ssh" /run/sshd && mount -t tmpfs -o mode=700 tmpfs "$home/.ssh" || exit 99
mount -t tmpfs -o mode=755 tmpfs /run/sshd || exit 99
ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id_ed25519"
cp "$home/.ssh/id_ed25519.pub" "$home/.ssh/authorized_keys"
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
# A free port: that of a socket which is closed again.
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "[127.0.0.1]:$port $(cut -d ' ' -f 1,2 "$work/host_key.pub")" >"$home/.ssh/known_hosts"
mkfifo "$work/log" "$work/alive"
/usr/sbin/sshd -D -e -f /dev/null -p "$port" -o ListenAddress=127.0.0.1 -h "$work/host_key" -o StrictModes=no -o UsePAM=no \
    2>"$work/log" &
sshd=$!
trap 'kill "$sshd"; rm -rf "$work"' EXIT
exec 4<"$work/log"
while read -r line <&4; do
    case $line in 'Server listening'*) break ;; esac
    echo "$line"
done

cat >"$work/peers.json" <<END
{
  "kinds": {"python": {
    "version": "python3 $peers/peer.py --version",
    "responder": {"ready": "listening on port ([0-9]+)", "commands": {
      "*": "exec 9>$work/alive; echo \$SSH_CONNECTION; exec python3 $peers/peer.py responder --scenario {scenario} --connections 2"}},
    "initiator": {"commands": {
      "*": "exec python3 $peers/peer.py initiator --scenario {scenario} --host {host} --port {port} --size {size}"}}}},
  "peers": [
    {"name": "far", "kind": "python", "ssh": "ssh://root@127.0.0.1:$port"},
    {"name": "near", "kind": "python", "responder": {"commands": {
      "*": "exec python3 $peers/peer.py responder --scenario {scenario}"}}}
  ]
}
END
# The responder waits for a second connection. When the matrix ends ssh, it ends, too: its end of the pipe is closed.
cat "$work/alive" &
responder=$!
expect 0 '' matrix --out "$work/m" --scenario size-64 --evidence all --only '^near/far|^far/near' "$work/peers.json"
says '^2 cells: 2 pass, '
wait "$responder"
grep -q "^127.0.0.1 [0-9]* 127.0.0.1 $port" "$work/m/cells/near/far/size-64/responder.log" || complain 'not over ssh' matrix
grep -q '"version": "peer.py ' "$work/m/results.json" || complain 'no version' matrix
exit "$failed"
