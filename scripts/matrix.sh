#!/bin/sh
# matrix.sh [OPTION...]: runs the peers of conformance/matrix/peers/peers.json and, in two guests, those of conformance/dut/siw/matrix.json
# with each other (conformance/dut/siw/matrix.sh), and publishes the results in docs/reports/matrix: index.html, results.json, and the
# files of cells that do not pass. Cells whose peers and program have not changed are kept. Options are those of `warpcheck matrix`.
#   BUILD  folder of the program (default: build/release)
# Exit code: that of the command.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
code=0
conformance/dut/siw/matrix.sh --out docs/reports/matrix "$@" || code=$?
find docs/reports/matrix -type d -empty -delete
exit "$code"
