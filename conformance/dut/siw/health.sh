#!/bin/bash
# health.sh: checks a guest booted by "boot.sh again" or "boot.sh agent" after a case: siw has to answer (answers.sh). The next call
# of ready.sh then has little to do.
#   AGENT_TOKEN, GUEST, AGENT, CTL  as in answers.sh
#   HEALTHY  with an agent: the file that tells ready.sh (default: it checks again)
# Exit code: 0 healthy, 1 not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
LIMIT_ANSWER=25 # seconds
code=0
timeout $LIMIT_ANSWER "$here/answers.sh" ": >/run/healthy" 2>&1 || code=$?
[ $code -ne 124 ] || echo "the guest does not answer within $LIMIT_ANSWER s"
[ $code -eq 0 ] || exit 1
[ -z "${AGENT_TOKEN:-}" ] || [ -z "${HEALTHY:-}" ] || : >"$HEALTHY"
