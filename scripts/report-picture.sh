#!/bin/sh
# report-picture.sh: takes the picture of the page of `warpcheck check --format html` in docs/ anew, with the release build.
# What it needs, install-packages.sh tests installs.
#   OUT  the picture (default: docs/check-report.png)
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox

# It finds violations, so it does not end with 0.
build/release/warpcheck check --format html captures/oddities/badcrc.pcap captures/oddities/lost_send.pcap \
    captures/siw/siw2siw_rping_p2p_readrtr.pcap >"$work/report.html" || [ $? -eq 1 ]
chromium --headless=new $sandbox --disable-gpu --user-data-dir="$work/profile" --hide-scrollbars \
    --window-size=1280,1700 --screenshot="${OUT:-docs/check-report.png}" "file://$work/report.html" >/dev/null 2>&1
