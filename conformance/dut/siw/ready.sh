#!/bin/bash
# ready.sh: prepares a guest booted by "boot.sh again" or "boot.sh agent" for the next case: waits until siw answers (answers.sh),
# unless health.sh has done so after the last case. If siw hangs, it reboots the guest.
#   AGENT_TOKEN, GUEST, AGENT, CTL  as in answers.sh
#   HEALTHY     as in health.sh
#   LIMIT_ANSWER  seconds after which siw hangs (default 25)
#   BOOT_LIMIT  seconds after which it gives up (default 120); a busy host needs more
# Exit code: 0 ready, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
limit=${BOOT_LIMIT:-120}
answers() { timeout "${LIMIT_ANSWER:-25}" "$here/answers.sh" >/dev/null 2>&1; }
# Since then the guest may have crashed: then it has lost /run/healthy, or its agent does not answer yet.
if [ -z "${AGENT_TOKEN:-}" ]; then
  ! timeout 5 "$here/shell.sh" rm /run/healthy >/dev/null 2>&1 || exit 0
elif rm "${HEALTHY:-}" 2>/dev/null; then
  ! timeout 5 "$here/answers.sh" hello >/dev/null 2>&1 || exit 0
fi
! answers || exit 0
begin=$SECONDS
reboot() { timeout 5 "$here/shell.sh" reboot -f >/dev/null 2>&1 || true; } # this ends its shell, too
# A guest that was only slow still answers before it reboots: only one with a shorter uptime has booted since.
booted() {
  local uptime
  uptime=$(timeout 2 "$here/shell.sh" cut -d. -f1 /proc/uptime 2>/dev/null) || return
  [ "$uptime" -gt $((SECONDS - begin)) ] || return 0
  reboot
  return 1
}
reboot
# A connection attempt before the guest listens waits for QEMU's next SYN; a new attempt is faster.
until booted && answers; do
  [ $SECONDS -lt "$limit" ] || { echo "siw guest: not ready $limit s after a reboot" >&2; exit 3; }
  sleep 0.2
done
