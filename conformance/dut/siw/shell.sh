#!/bin/bash
# shell.sh COMMAND...: runs the command in the root shell of the guest; prints its output, and exits with its code.
#   CTL    CTL of boot.sh
#   GUEST  the address of that port (default: 127.0.0.1)
# Exit code: that of the command, 3 environment.
set -euo pipefail
fail() { echo "siw guest: $*" >&2; exit 3; }
if [ $# -eq 0 ] || [ -z "${CTL:-}" ]; then sed -n '2,3s/^# *//p' "$0" >&2; exit 3; fi
{ exec 3<>"/dev/tcp/${GUEST:-127.0.0.1}/$CTL"; } 2>/dev/null || fail "no shell on port $CTL"
# One line, which the shell reads whole: the command may read from the connection what comes after it.
printf '%s\n' "{ $*; } 2>&1; echo \"[end \$?]\"; exit" >&3
while IFS= read -r line <&3; do
  case $line in "[end "*"]") code=${line#"[end "}; exit "${code%]}" ;; esac
  echo "$line"
done
fail "its shell has closed the connection"
