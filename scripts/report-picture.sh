#!/bin/sh
# report-picture.sh: makes the pictures in docs/ of the pages of `warpcheck check --format html` and `warpcheck report --format
# html` and `rfc`, with the release build. install-packages.sh tests installs what it needs.
#   OUT  folder for the pictures (default: docs)
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox

picture() { # NAME SIZE ANCHOR: of NAME.html
    chromium --headless=new $sandbox --disable-gpu --user-data-dir="$work/profile" --hide-scrollbars \
        --window-size="$2" --screenshot="${OUT:-docs}/$1.png" "file://$work/$1.html$3" >/dev/null 2>&1
}

# They find violations, so their exit code is not 0.
build/release/warpcheck check --format html captures/oddities/badcrc.pcap captures/oddities/lost_send.pcap \
    captures/siw/siw2siw_rping_p2p_readrtr.pcap >"$work/check-report.html" || [ $? -eq 1 ]
picture check-report 1280,1700 ''
warpcheck=$PWD/build/release/warpcheck
(
    cd "$work"
    "$warpcheck" run --simulate --only '^mpa-crc-00[45]|^mpa-fpdu-001' --defect crc-wrong \
        --device 'RNIC 9' --firmware 3.1 --lab 'our lab' >/dev/null || [ $? -eq 1 ]
    "$warpcheck" report --format html --policy mandatory results/latest >suite-report.html || [ $? -eq 1 ]
)
picture suite-report 1280,3450 '#d0-0' # high enough that nothing is scrolled
cp "$work/suite-report.html" "$work/suite-report-phone.html"
picture suite-report-phone 390,1750 ''
# As on paper: its style applies to all media, which the policy of the page forbids. A4 has 703 pixels between the margins.
sed -e 's/^@media print {/@media all {/' -e '/Content-Security-Policy/d' "$work/suite-report.html" >"$work/suite-report-print.html"
picture suite-report-print 703,3000 '#d0-0' # high enough, too
(
    cd "$work"
    "$warpcheck" run --simulate --only '^mpa-|^ddp-|^rdma-send' --defect crc-wrong --device 'RNIC 9' --firmware 3.1 --lab 'our lab' \
        --out RNIC-9 >/dev/null || [ $? -eq 1 ]
    "$warpcheck" report --format rfc RNIC-9 >rfc-report.html || [ $? -eq 1 ]
)
picture rfc-report 1280,1900 ''
