#!/bin/bash
# tshark-alike.sh ARGUMENT...: tshark.sh, for tests: what versions of Wireshark print in different ways comes out alike.
#   -T fields  a boolean is True or False from 4.2 on, and 1 or 0 before and here
#   -V         4.6 says of what kind a frame is
set -uo pipefail
"$(dirname "$0")/tshark.sh" "$@" | sed -E ':again
    s/(^|[\t,])True($|[\t,])/\11\2/; t again
    s/(^|[\t,])False($|[\t,])/\10\2/; t again
    s/^(Frame [0-9]+: )Packet, /\1/'
