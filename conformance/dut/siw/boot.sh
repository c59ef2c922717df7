#!/bin/bash
# boot.sh rping [OPTION...]          boots the guest with rdma-core's own "rping -s -P -v -d -p 7174 OPTION..."
# boot.sh again [OPTION...]          the same with "rping -s -P -p 7174 OPTION..."; rping is restarted whenever it ends, and the
#                                    guest whenever it stops, also after a kernel oops
# boot.sh exec PROGRAM [ARG...]      boots it with a program of GUEST_PROGRAMS (build.sh)
# boot.sh agent PROGRAM [ARG...]     the same as "again" with such a program
# The guest built by build.sh runs in the foreground, console on stdout, until its program ends. The console prints
# LISTENING once the peer accepts connections. Options and arguments must not contain spaces or commas.
#   WORKDIR  output of build.sh (default: build/siw of the project, or siw-$KERNEL with KERNEL)
#   PORT     TCP port on 127.0.0.1 forwarded to the guest's port 7174 (default 7174)
#   AGENT    TCP port on 127.0.0.1 forwarded to the guest's port 7175, of warpcheck-agent (default: none)
#   CTL      TCP port on 127.0.0.1 forwarded to a root shell in the guest (default: none)
#   TAP      network device of tap.sh: the guest has its own TCP segments there; PORT, AGENT and CTL have no effect
#   ADDRESS  the guest's address with TAP, 192.0.2.N (default 192.0.2.2)
#   INITRD   the guest's root file system (default: initramfs.cpio.gz of WORKDIR)
#   PCAP     file for the guest's own Ethernet frames, with the real segments of siw (default: none)
#   ACCEL    tcg (default) or kvm, which hangs on some hosts
#   LIMIT    seconds after which the guest is killed (default 600)
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
workdir=${WORKDIR:-$root/build/siw${KERNEL:+-$KERNEL}}
usage() { sed -n '2,6s/^# *//p' "$0" >&2; exit 3; }
die() { echo "siw guest: $*" >&2; exit 3; }

again=
case ${1:-} in
  rping) shift; run=(rping -s -P -v -d -p 7174 "$@") ;;
  again) shift; run=(rping -s -P -p 7174 "$@"); again=1 ;;
  agent) shift; [ $# -gt 0 ] || usage; run=("$@"); again=1 ;;
  exec) shift; [ $# -gt 0 ] || usage; run=("$@") ;;
  *) usage ;;
esac
initrd=${INITRD:-$workdir/initramfs.cpio.gz}
{ [ -s "$workdir/vmlinuz" ] && [ -s "$initrd" ]; } || die "no guest in $workdir: run build.sh first"
command -v qemu-system-x86_64 >/dev/null || die "missing on this host: qemu-system-x86_64, get it with: apt-get install qemu-system-x86"

net="user,id=net0,hostfwd=tcp:127.0.0.1:${PORT:-7174}-:7174"
[ -z "${CTL:-}" ] || net+=",hostfwd=tcp:127.0.0.1:$CTL-:7000"
[ -z "${AGENT:-}" ] || net+=",hostfwd=tcp:127.0.0.1:$AGENT-:7175"
address='' mac=''
if [ -n "${TAP:-}" ]; then
  ADDRESS=${ADDRESS:-192.0.2.2}
  net="tap,id=net0,ifname=$TAP,script=no,downscript=no"
  address="peer.ip=$ADDRESS/24 peer.gw=192.0.2.1"
  mac=,mac=$(printf '52:54:00:00:02:%02x' "${ADDRESS##*.}")
fi
dump=()
[ -z "${PCAP:-}" ] || dump=(-object "filter-dump,id=dump0,netdev=net0,file=$PCAP")
# Without offloading, the packets are the segments.
offload=,gso=off,csum=off,host_tso4=off,host_tso6=off,host_ufo=off,guest_tso4=off,guest_tso6=off,guest_ufo=off,guest_csum=off
[ -n "${TAP:-}" ] || offload=
program=$(IFS=,; echo "${run[*]}")
# A fixed clock rate: on a busy host the kernel calibrates TSC and local APIC wrongly at boot, and panics because it sees no tick of
# the timer in time.
clock='clocksource=hpet tsc=unstable nolapic_timer no_timer_check'
# QEMU closes the connections of a machine that stops, as if siw had closed them: so it stops only after the longest case.
failing='panic=-1'
# A kernel that hangs (seen in the driver of QEMU's network: a soft lockup) panics, too, and boots again.
[ -z "$again" ] || failing='oops=panic softlockup_panic=1 watchdog_thresh=15 panic=20'
# --foreground: ctrl-C reaches the guest; -k: a machine hung in the accelerator ignores SIGTERM.
machine=(timeout --foreground -k 5 "${LIMIT:-600}" qemu-system-x86_64 -accel "${ACCEL:-tcg}" -cpu max -m 768 \
  -nodefaults -no-reboot -display none -monitor none -serial stdio \
  -kernel "$workdir/vmlinuz" -initrd "$initrd" \
  -append "console=ttyS0 quiet loglevel=5 $failing mitigations=off random.trust_cpu=on $clock peer.run=$program peer.again=$again $address" \
  -netdev "$net" -device "virtio-net-pci,netdev=net0,romfile=$mac$offload" "${dump[@]}")
[ -n "$again" ] || exec "${machine[@]}" </dev/null

# Starts a new machine, because after a reset of the machine the boot may take minutes.
vm=
trap 'kill "$vm" 2>/dev/null; wait; exit 143' TERM INT HUP
while :; do
  "${machine[@]}" </dev/null &
  vm=$!
  wait "$vm" || exit $?
done
