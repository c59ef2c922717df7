#!/bin/bash
# ready.sh: makes a guest booted by "boot.sh again" ready for the next case: its rping is begun anew and has answered. If it
# does not, since siw hangs, the guest is rebooted.
#   CTL  the TCP port on 127.0.0.1 that boot.sh was given as CTL
# Exit code: 0 ready, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
REBOOT_LIMIT=100 # seconds
timeout 15 "$here/shell.sh" fresh >/dev/null 2>&1 && exit 0
timeout 5 "$here/shell.sh" reboot -f >/dev/null 2>&1 || true # it takes its shell with it
# What connects before the guest is there waits for QEMU's next SYN: rather ask again.
until timeout 2 "$here/shell.sh" true >/dev/null 2>&1 && timeout 15 "$here/shell.sh" fresh >/dev/null 2>&1; do
  [ $SECONDS -lt $REBOOT_LIMIT ] || { echo "siw guest: not ready $REBOOT_LIMIT s after a reboot" >&2; exit 3; }
  sleep 0.2
done
