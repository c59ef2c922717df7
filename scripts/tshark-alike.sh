#!/bin/bash
# tshark-alike.sh ARGUMENT...: tshark.sh for tests: hides differences between the output of Wireshark versions.
#   -T fields  from 4.2 on a boolean is True or False, here 1 or 0 as before; and if the separator is a blank, a blank within a
#              field has a backslash before it
#   -V         4.6 also prints the kind of a frame
set -uo pipefail
alike='s/^(Frame [0-9]+: )Packet, /\1/'
[[ " $* " != *" -T fields "* ]] || alike='s/\\ / /g
    :true; s/(^|[\t ,])True($|[\t ,])/\11\2/; t true
    :false; s/(^|[\t ,])False($|[\t ,])/\10\2/; t false'
"$(dirname "$0")/tshark.sh" "$@" | sed -E "$alike"
