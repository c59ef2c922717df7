#!/bin/bash
# tshark-alike.sh ARGUMENT...: tshark.sh, for tests: what versions of Wireshark print in different ways comes out alike.
#   -T fields  from 4.2 on a boolean is True or False, before and here 1 or 0; and a blank within a field has a backslash
#              before it where the separator is a blank too
#   -V         4.6 says of what kind a frame is
set -uo pipefail
alike='s/^(Frame [0-9]+: )Packet, /\1/'
[[ " $* " != *" -T fields "* ]] || alike='s/\\ / /g
    :true; s/(^|[\t ,])True($|[\t ,])/\11\2/; t true
    :false; s/(^|[\t ,])False($|[\t ,])/\10\2/; t false'
"$(dirname "$0")/tshark.sh" "$@" | sed -E "$alike"
