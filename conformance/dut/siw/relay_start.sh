#!/bin/bash
# relay_start.sh [HOST PORT]: the command of --start of relay.sh. Notes in the file crashes if a guest has crashed or hung since the
# last conversation, prepares both guests (ready.sh), and starts "rping -c" to HOST and PORT in one of them; without HOST and PORT,
# it does not. The second conversation of a case begins without preparation: it shows whether the devices still work.
#   OUT        folder of the run, whose newest log is that of the current conversation
#   CONSOLES   folder of the consoles, and of crashes
#   RESPONDER, INITIATOR  addresses of the guests
#   PINGS      number of pings
#   LIMIT_ANSWER  as in ready.sh; rping is killed after as many seconds
#   CTL        as in boot.sh
# Exit code: that of rping, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
crash='BUG: .*|kernel BUG at .*|Kernel panic .*|.*[Uu]nable to handle .*|.*general protection fault.*|.*lockup.*|linux [0-9.]+.* run: .*'

ready() {
  local other
  GUEST=$RESPONDER "$here/ready.sh" &
  other=$!
  GUEST=$INITIATOR "$here/ready.sh"
  wait $other
}

# A guest that boots again without a message of its kernel had hung.
note_crash() { # ROLE
  local console=$CONSOLES/$1.console seen=$CONSOLES/$1.seen line
  line=$(tail -c "+$(($(<"$seen") + 1))" "$console" | grep -aoEm1 "$crash") || line=
  wc -c <"$console" >"$seen"
  [ -z "$line" ] || echo "$before: the guest of the $1: $line" >>"$CONSOLES/crashes"
}

current=$(find "$OUT" -name 'relay-*.log' -printf '%T@ %f\n' 2>/dev/null | sort -n | sed -nE '$s/^[^ ]* (.*)-(initiator|responder)\.log$/\1/p')
before=$(cat "$CONSOLES/conversation" 2>/dev/null) || before="the boot"
if [ $# -eq 0 ] || [ "$current" != "$before" ]; then
  ready || exit 3
  note_crash responder
  note_crash initiator
fi
[ $# -gt 0 ] || exit 0
echo "${current:-none}" >"$CONSOLES/conversation"
GUEST=$INITIATOR exec "$here/shell.sh" timeout "$LIMIT_ANSWER" rping -c -a "$1" -p "$2" -C "$PINGS"
