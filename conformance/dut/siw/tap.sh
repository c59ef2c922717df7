#!/bin/bash
# tap.sh COMMAND [ARG...]: runs the command, for example suite.sh, in a private network namespace that has a TAP device for the
# guest: the segments of both TCPs reach each other and the capture as they were sent. Nothing of this host's network changes.
# Builds the guest before, if it is missing: the namespace does not reach the servers of packages.
# Needs root, or user namespaces, and /dev/net/tun.
# The command gets TAP, GUEST, OWN_HOST, PORT, AGENT and CTL, as in boot.sh and suite.sh.
# Exit code: that of the command, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
die() { echo "siw tap: $*" >&2; exit 3; }
[ $# -gt 0 ] || { sed -n '2,7s/^# *//p' "$0" >&2; exit 3; }
for tool in unshare ip; do
  command -v $tool >/dev/null || die "missing on this host: $tool, get it with: apt-get install util-linux iproute2"
done
[ -w /dev/net/tun ] || die "no right to use /dev/net/tun"

user=()
[ "$(id -u)" -eq 0 ] || user=(--map-root-user)
export TAP=tap0 GUEST=192.0.2.2 OWN_HOST=192.0.2.1 PORT=7174 AGENT=7175 CTL=7000
unshare "${user[@]}" --net true 2>/dev/null || die "no right to create a network namespace"
"$here/build.sh" ${WORKDIR:+"$WORKDIR"}
# shellcheck disable=SC2016  # expanded inside
exec unshare "${user[@]}" --net bash -c 'set -e
  ip link set lo up
  ip tuntap add dev "$TAP" mode tap
  ip addr add "$OWN_HOST/24" dev "$TAP"
  ip link set "$TAP" up
  exec "$@"' tap "$@"
