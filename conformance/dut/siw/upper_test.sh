#!/bin/bash
# upper_test.sh WARPCHECK: NVMe over RDMA, NFS over RDMA and iSER over siw conform, and the plugin decodes them. Exit code 77 as in
# suite_test.sh.
#   PORT, CTL  as in boot.sh (default: 17177 and 17003)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
BUILD=$(dirname "$1")
export BUILD PORT=${PORT:-17177} CTL=${CTL:-17003}
"$here/upper.sh" build || exit 77
for protocol in nvme nfs iser; do
  "$here/upper.sh" $protocol "$out/$protocol.pcap" | tail -n 2
done
