#!/bin/bash
# health.sh: checks a guest booted by "boot.sh again" after a case: restarts its rping and waits for an answer. The next call
# of ready.sh then has nothing to do.
#   CTL  CTL of boot.sh
# Exit code: 0 healthy, 1 not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
LIMIT_ANSWER=25 # seconds
code=0
timeout $LIMIT_ANSWER "$here/shell.sh" "fresh && : >/run/healthy" 2>&1 || code=$?
[ $code -ne 124 ] || echo "the guest does not answer within $LIMIT_ANSWER s"
[ $code -eq 0 ]
