# guests.sh: sourced by matrix.sh, pair.sh and relay.sh, in the namespace of tap.sh: two guests on a bridge, which is the host's own
# interface.
# The caller sets `here`, `out` (the folder of the consoles) and fail(), and has its processes in `process`, by name.
# shellcheck shell=bash disable=SC2034,SC2154
RESPONDER=$GUEST INITIATOR=192.0.2.3 BRIDGE=bridge0
LIMIT_COMMAND=3000 # seconds
declare -A process

end_processes() {
  local name
  for name in "${!process[@]}"; do kill "${process[$name]}" 2>/dev/null || true; done
  wait
}

# until_line NAME FILE PATTERN: waits until the process has printed it.
until_line() {
  timeout "${BOOT_LIMIT:-120}" grep -qm1 "$3" <(tail --pid="${process[$1]}" -fn +1 "$out/$2") ||
    fail "no line with $3 in $2: $(tail -qn 1 "$out/$2"*)"
}

# Both TAP devices are ports of the bridge.
connect_guests() {
  ip link add $BRIDGE type bridge || fail "no right to create a bridge, or a kernel without bridges"
  ip addr del "$OWN_HOST/24" dev "$TAP"
  ip tuntap add dev tap1 mode tap
  for tap in "$TAP" tap1; do ip link set "$tap" master $BRIDGE up; done
  ip addr add "$OWN_HOST/24" dev $BRIDGE
  ip link set $BRIDGE up
}

boot() { # NAME TAP ADDRESS ARG...: with these arguments of boot.sh
  : >"$out/$1.console"
  TAP=$2 ADDRESS=$3 "$here/boot.sh" "${@:4}" >>"$out/$1.console" 2>&1 &
  process[$1]=$!
}

on() { # ADDRESS COMMAND...
  GUEST=$1 timeout $LIMIT_COMMAND "$here/shell.sh" "${@:2}"
}

# Waits until the guest answers ARP and its shell listens.
until_shell() {
  local deadline=$((SECONDS + ${BOOT_LIMIT:-120}))
  until GUEST=$1 "$here/shell.sh" true 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "$1 does not answer on the bridge"
    sleep 0.1
  done
}

until_booted() {
  until_line responder responder.console LISTENING
  until_line initiator initiator.console LISTENING
  until_shell "$RESPONDER"
  until_shell $INITIATOR
}

boot_both() { # ARG...: with these arguments of boot.sh
  boot responder "$TAP" "$RESPONDER" "$@"
  boot initiator tap1 $INITIATOR "$@"
  until_booted
}
