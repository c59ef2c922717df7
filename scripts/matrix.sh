#!/bin/sh
# matrix.sh [OPTION...]: runs the peers of conformance/matrix/peers/peers.json and, in two guests, those of conformance/dut/siw/matrix.json
# with each other (conformance/dut/siw/matrix.sh), and publishes the results in docs/reports/matrix: index.html, results.json, and the
# files of cells that the page links, without the path of this folder. Cells whose peers and program have not changed are kept. Options
# are those of `warpcheck matrix`.
#   BUILD  folder of the program (default: build/release)
#   OUT    folder for the results (default: results/siw-matrix of the project)
# Exit code: that of the command.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
out=${OUT:-$root/results/siw-matrix}
code=0
conformance/dut/siw/matrix.sh --out "$out" "$@" || code=$?
[ "$code" -lt 3 ] || exit "$code"
published=$root/docs/reports/matrix
rm -rf "$published/cells"
cp "$out/index.html" "$out/results.json" "$published/"
grep -o 'href="cells/[^"]*"' "$published/index.html" | cut -d'"' -f2 | sort -u | while read -r file; do
    mkdir -p "$published/${file%/*}"
    cp "$out/$file" "$published/$file"
done
grep -rlIF "$root/" "$published" | xargs -r sed -i "s#$root/##g"
exit "$code"
