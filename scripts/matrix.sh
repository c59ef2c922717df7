#!/bin/sh
# matrix.sh [OPTION...]: runs the peers of conformance/matrix/peers/peers.json with each other, and publishes the results in
# docs/reports/matrix: index.html, results.json, and the files of cells that do not pass. Cells whose peers and program have not
# changed are kept. Options are those of `warpcheck matrix`.
#   WARPCHECK  the program (default: that of the release build)
# Exit code: that of the command.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
warpcheck=${WARPCHECK:-build/release/warpcheck}
code=0
"$warpcheck" matrix --out docs/reports/matrix "$@" conformance/matrix/peers/peers.json || code=$?
find docs/reports/matrix -type d -empty -delete
exit "$code"
