#!/bin/sh
# warpcheck script: its messages about captures that it cannot convert; its scripts can be played.
# Usage: script_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
captures=$here/../../captures
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

# usage
good=$captures/synth/terminate_dv.pcapng
expect 3 'warpcheck script: no file given \(see warpcheck script --help\)' script
expect 3 'warpcheck script: --side takes initiator or responder, not left' script --side left "$good"
expect 3 'warpcheck script: --connection takes a number from 1 on, not 0' script --connection 0 "$good"
expect 3 'warpcheck script: --stream takes a number from 0 on, not x' script --stream x "$good"
expect 3 'warpcheck script: --limit takes a number of octets, not 0' script --limit 0 "$good"
expect 3 "warpcheck: $work/none.pcap: No such file or directory" script "$work/none.pcap"
expect 3 "warpcheck: $good: no connection 2: there is 1" script --connection 2 "$good"
expect 3 'warpcheck script: --connection and --stream exclude each other' script --connection 1 --stream 0 "$good"
expect 3 "warpcheck: $good: stream 1 is not an iWARP connection" script --stream 1 "$good"

# what cannot be repeated
expect 2 "warpcheck: .*: stream 0 cannot be repeated: frame 7: 1024 octets before it were not captured" script "$captures/oddities/lost_send.pcap"
expect 2 "warpcheck: .*: stream 0 cannot be repeated: frame 6: the capture has cut 1346 octets from its packet" script "$captures/oddities/snap128.pcap"
expect 2 "warpcheck: .*: stream 0 cannot be repeated: the capture does not hold the beginning of the connection" script "$captures/oddities/midstream.pcap"
expect 2 "warpcheck: .*: a conversation over SCTP; scripts speak over TCP only" script "$captures/vectors/sctp_session.pcap"
expect 2 "warpcheck: .*: the script would have [0-9]+ octets as digits; --limit allows 10" script --limit 10 "$captures/siw/siw2siw_rping_crc.pcap"

# selecting one of several connections
expect 0 "warpcheck: .*/rfc5044_startup.pcap: the first of [0-9]+ connections; --connection N selects one" script "$captures/rules/rfc5044_startup.pcap"
says '^-- rfc5044_startup.pcap, stream 0: '
expect 0 '' script --connection 3 "$captures/rules/rfc5044_startup.pcap"
says '^-- rfc5044_startup.pcap, stream 2: '
cp "$work/out" "$work/third"
expect 0 '' script --stream 2 "$captures/rules/rfc5044_startup.pcap"
cmp -s "$work/out" "$work/third" || complain '--stream 2 is not --connection 3' script

# the script uses the functions that an author would use
expect 0 '' script "$good"
says '^c:send\{data = "a good one first"\} -- frame 6$'
says '^c:send\{data = "hello", dv = 0\} -- frame 7, violates RFC5041-4\.1-08$'
says '^c:expect\{\{kind = "terminate", layer = 1, etype = 2, code = 6\}\} -- frame 8$'
expect 0 '' script --side responder "$good"
says '^local c = listen\{port = args\.port\}:accept\{'
says '^c:terminate\{layer = 1, etype = 2, code = 6, m = true, d = true, data = '

# octets of a different protocol before MPA
expect 0 '' synth "$here/../../generator/examples/startup_delayed.lua" -o "$work/delayed.pcapng"
says '^conforms$'
for side in initiator responder; do
    expect 0 '' script --side "$side" "$work/delayed.pcapng"
    says '^c:enter\(\)$'
    cp "$work/out" "$work/$side.lua"
done
expect 0 '' synth "$work/initiator.lua" --peer-script "$work/responder.lua" -o "$work/again.pcapng"
says '^conforms$'
expect 0 '' check --decode "$work/delayed.pcapng"
cp "$work/out" "$work/delayed"
expect 0 '' check --decode "$work/again.pcapng"
cmp -s "$work/out" "$work/delayed" || complain 'the octets before MPA are not repeated' script

# an argument sets the STag of the peer; the default is that of the reference endpoint's region
printf '%s\n' 'local c = connect{}' 'c:write{stag = peer.stag, to = peer.to + 7, data = ("w"):rep(4000)}' \
    'c:read{region = region{size = 3000}, source_stag = peer.stag, source_to = peer.to + 7}' \
    'c:expect{{kind = "read_response"}}' 'log(peer.stag, peer.to)' 'c:close()' >"$work/write.lua"
expect 0 '' synth "$work/write.lua" -o "$work/write.pcapng"
expect 0 '' script "$work/write.pcapng"
says '^stag\[1\] = args.stag1 or 0x'
says '^c:write\{stag = stag\[1\], to = to\[1\], data = \("w"\):rep\(4000\)\}'
cp "$work/out" "$work/again.lua"
expect 0 '' synth --quiet "$work/again.lua" -o "$work/again.pcapng"
expect 0 '' check "$work/again.pcapng"
expect 1 '' synth --quiet "$work/again.lua" --arg stag1=0x7badbad1 -o "$work/other.pcapng"
says 'actual:   terminate \{.*layer=1'
expect 0 '' check --decode "$work/other.pcapng"
says 'RDMA Write .* stag=0x7badbad1 '

# --timing keeps the delay of half a second before the second message
printf '%s\n' 'local c = connect{}' 'c:send{data = "one"}' 'pause(0.5)' 'c:send{data = "two"}' 'c:close()' >"$work/slow.lua"
expect 0 '' synth --quiet "$work/slow.lua" -o "$work/slow.pcapng"
expect 0 '' script --timing "$work/slow.pcapng"
says '^pause\(0\.(5000|4999)[0-9]*\)$'
expect 0 '' script "$work/slow.pcapng"
! grep -q pause "$work/out" || complain 'a pause without --timing' script

# TCP may join the octets of two packets in streaming mode: those that come early count for the next wait
sed -e 's/^c:octets("HELLO, switch/c:octets("HELLO, ")\nc:octets("switch/' \
    -e 's/c:expect{{kind = "octets", octets = "HELLO, switch[^}]*}}/for _ = 1, 2 do c:expect{{kind = "octets"}} end/' \
    "$here/../../generator/examples/startup_delayed.lua" >"$work/delayed.lua"
expect 0 '' synth --quiet "$work/delayed.lua" -o "$work/delayed.pcapng"
expect 0 '' script --side responder "$work/delayed.pcapng"
says '^while heard < 7 do heard = heard \+ '
says '^while heard < 22 do heard = heard \+ '

exit $failed
