#!/bin/bash
# upper.sh nvme|nfs|iser [OUTFILE]: the kernel's own NVMe over RDMA, NFS over RDMA or iSER, over siw: a complete exchange
# between initiator and target in one guest, recorded in the guest, checked, and decoded up to the upper protocol.
# upper.sh build: only builds the guest
# Builds the guest with the modules and programs of the three protocols, if it is missing, and always stops it.
# OUTFILE (default: results/siw-upper/NAME.pcap of the project) is the capture; beside it are NAME.log, the exchange,
# NAME.check and NAME.decode.
#   BUILD       folder of warpcheck and the plugin (default: build/release of the project)
#   WORKDIR     folder of the guest (default: build/siw-upper of the project, or siw-upper-$KERNEL with KERNEL)
#   PORT, CTL, ACCEL   as in boot.sh (default of PORT and CTL: 18174 and 18000)
#   BOOT_LIMIT  boot timeout of the guest in seconds (default 120)
#   MTU         of the guest's loopback device (default 9000)
# Exit code: 0 conforms and decoded, 1 violations, 2 inconclusive, 3 environment or a failed exchange, 4 internal error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${BUILD:-$root/build/release}
fail() { echo "siw upper: $*" >&2; exit 3; }

case ${1:-} in
  nvme) decoded=nvme-rdma ;;
  nfs) decoded=nfs ;;
  iser) decoded=iser ;;
  build) decoded= ;;
  *) sed -n '2,4s/^# *//p' "$0" >&2; exit 3 ;;
esac
protocol=$1
file=${2:-$root/results/siw-upper/$protocol.pcap}
base=${file%.pcap*}
export WORKDIR=${WORKDIR:-$root/build/siw-upper${KERNEL:+-$KERNEL}} PORT=${PORT:-18174} CTL=${CTL:-18000}

guest=
# shellcheck disable=SC2317  # reached through the trap
at_exit() {
  local rc=$?
  [ -z "$guest" ] || { kill "$guest" 2>/dev/null || true; wait "$guest" 2>/dev/null || true; }
  [ "$rc" -lt 3 ] || [ ! -s "$base.console" ] || { echo "last lines of the guest's console:"; tail -n 15 "$base.console"; } >&2
  rm -f "$base.console"
}

GUEST_MODULES="af_packet brd nvme-rdma nvmet-rdma rpcrdma nfsv4 nfsd sd_mod ib_iser ib_isert" \
  GUEST_PACKAGES="tcpdump nvme-cli zlib1g nfs-kernel-server open-iscsi" \
  GUEST_PROGRAMS="$here/guest/upper ip tcpdump nvme exportfs rpc.mountd iscsid iscsiadm" "$here/build.sh" "$WORKDIR"
[ -n "$decoded" ] || exit 0
[ -x "$build/warpcheck" ] || fail "no $build/warpcheck: build the release preset first"
command -v tshark >/dev/null || fail "missing on this host: tshark, get it with: apt-get install tshark"
mkdir -p "$(dirname "$file")" || fail "cannot write to $(dirname "$file")"
rm -f "$file" "$base".{log,check,decode}
: >"$base.console"

trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$here/boot.sh" rping >"$base.console" 2>&1 &
guest=$!
deadline=$((SECONDS + ${BOOT_LIMIT:-120}))
until grep -q LISTENING "$base.console"; do
  kill -0 "$guest" 2>/dev/null || fail "the guest ended before it listened: $(tail -n 1 "$base.console")"
  [ $SECONDS -lt $deadline ] || fail "the guest does not listen after ${BOOT_LIMIT:-120} s"
  sleep 0.1
done

timeout 300 "$here/shell.sh" "MTU=${MTU:-9000}" upper "$protocol" /tmp/capture >"$base.log" ||
  { cat "$base.log" >&2; fail "the exchange failed"; }
"$here/shell.sh" "gzip -c /tmp/capture | base64" | base64 -d | gzip -d >"$file" || fail "the capture cannot be fetched"

check=0
"$build/warpcheck" check "$file" >"$base.check" || check=$?
cat "$base.check"
BUILD=$build "$root/scripts/tshark.sh" -2 -r "$file" -Y "$decoded" >"$base.decode" 2>/dev/null ||
  fail "tshark cannot read $file"
[ -s "$base.decode" ] || fail "tshark decodes no $decoded in $file"
malformed=$(BUILD=$build "$root/scripts/tshark.sh" -2 -r "$file" -Y _ws.malformed 2>/dev/null)
[ -z "$malformed" ] || fail "malformed for tshark: $malformed"
echo "$decoded: $(wc -l <"$base.decode") frames; $file: $(stat -c %s "$file") octets"
exit $check
