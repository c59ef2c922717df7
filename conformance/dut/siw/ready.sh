#!/bin/bash
# ready.sh: prepares a guest booted by "boot.sh again" for the next case: restarts its rping and waits for an answer, unless
# health.sh has done so after the last case. If siw hangs, it reboots the guest.
#   CTL         CTL of boot.sh
#   BOOT_LIMIT  seconds after which it gives up (default 120)
# Exit code: 0 ready, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
limit=${BOOT_LIMIT:-120}
timeout 5 "$here/shell.sh" rm /run/healthy >/dev/null 2>&1 && exit 0
timeout 25 "$here/shell.sh" fresh >/dev/null 2>&1 && exit 0
timeout 5 "$here/shell.sh" reboot -f >/dev/null 2>&1 || true # this ends its shell, too
# A connection attempt before the guest listens waits for QEMU's next SYN; a new attempt is faster.
until timeout 2 "$here/shell.sh" true >/dev/null 2>&1 && timeout 25 "$here/shell.sh" fresh >/dev/null 2>&1; do
  [ $SECONDS -lt "$limit" ] || { echo "siw guest: not ready $limit s after a reboot" >&2; exit 3; }
  sleep 0.2
done
