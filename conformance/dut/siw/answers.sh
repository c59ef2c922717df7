#!/bin/bash
# answers.sh [COMMAND|hello]: succeeds if the guest's siw accepts a connection of its own host, for health.sh and ready.sh. With an
# agent in the guest, the agent connects siw with itself: nothing has to be started in the guest; with `hello`, it is enough that the
# agent answers. Otherwise `fresh` restarts rping there and waits for a ping; COMMAND runs after it in the same shell.
#   AGENT_TOKEN  file with the token of the agent in the guest (default: there is no agent)
#   GUEST, AGENT, CTL  as in suite.sh and boot.sh
# Exit code: 0 it answers, otherwise not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${AGENT_TOKEN:-}" ] || exec "$here/shell.sh" "fresh${1:+ && $1}"
guest=${GUEST:-127.0.0.1}
own=$guest
[ "$guest" != 127.0.0.1 ] || own=10.0.2.15 # with QEMU's own network
{ exec 3<>"/dev/tcp/$guest/$AGENT"; } 2>/dev/null || { echo "the agent does not listen"; exit 1; }
printf '%s\n' "{\"id\":1,\"op\":\"hello\",\"version\":1,\"token\":\"$(<"$AGENT_TOKEN")\"}" >&3
IFS= read -r line <&3 || { echo "the agent does not answer"; exit 1; }
[[ $line != *'"error":'* ]] || { echo "the agent: $line"; exit 1; }
[ "${1:-}" != hello ] || exit 0
printf '%s\n' "{\"id\":2,\"op\":\"connect\",\"host\":\"$own\",\"port\":7174}" >&3
established=0 # the connection's two ends
while [ $established -lt 2 ]; do
  IFS= read -r line <&3 || { echo "the agent does not connect"; exit 1; }
  case $line in
    *'"event":"established"'*) established=$((established + 1)) ;;
    *'"error":'*) echo "the agent: $line"; exit 1 ;;
  esac
done
