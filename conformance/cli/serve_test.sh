#!/bin/sh
# warpcheck serve, and runs against it without an agent. Usage: serve_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

begin_serve --record "$work/served.pcapng"
echo "$region" | grep -qE '^region: STag 0x[0-9a-f]{8}, TO 0x[0-9a-f]+, [0-9]+ octets, verified by sha256$' || complain "said '$region'" serve
expect 3 "warpcheck: 127.0.0.1:$port: port in use" serve --listen 127.0.0.1:"$port"
expect 2 '' run --peer 127.0.0.1:"$port" --only 'mpa-crc-001|rdma-write-003|rdma-write-001' --no-preflight --no-out
end_serve INT
expect 1 '' check "$work/served.pcapng"
says '^2 iWARP streams,'
begin_serve
# rdma-write-001 needs an agent: that is not conforming, unless the user accepts it
expect 2 '' run --peer 127.0.0.1:"$port" --only 'mpa-crc-001|rdma-write-003|rdma-write-001' --out "$work/less"
says '^3 cases: 2 pass, 0 fail, 0 inconclusive, 1 not tested, 0 not applicable, 0 error$'
head -n 1 "$work/less/results.jsonl" | grep -q '"kernel":"[^"]*",.*"nic":"lo"' || complain 'the tester has no interface' run --peer
says '^requirements: [0-9]+ of [0-9]+ tested, [0-9]+ pass; cases: 2 of 3 that apply tested; 3 of [0-9]+ cases selected$'
says '^untested +1 case: needs an agent on the device \(--agent\)$'
expect 2 '' report "$work/less"
says '^less: requirements: [0-9]+ of [0-9]+ tested, [0-9]+ pass; cases: 2 of 3 that apply tested; 3 of [0-9]+ cases selected$'
says '^  not tested  +[0-9]+  needs an agent on the device \(--agent\)$'
expect 0 '' run --peer 127.0.0.1:"$port" --only 'mpa-crc-001|rdma-write-003|rdma-write-001' --accept-untested --force --out "$work/less"
expect 0 '' report "$work/less"
expect 0 '' run --peer 127.0.0.1:"$port" --only 'mpa-crc-001|rdma-write-003|rdma-write-001' --tier none --no-out
expect 2 '' run --peer 127.0.0.1:"$port" --only 'rdma-write-001' --accept-untested --no-out
says '; cases: 0 of 1 that apply tested; 1 of [0-9]+ cases selected$'
# neither can be tested without rping, or without the address of SCTP
expect 2 '' run --peer 127.0.0.1:"$port" --only '^rping-server-001$|^sctp-001$|^mpa-crc-001$' --out "$work/lacking"
says '^3 cases: 1 pass, 0 fail, 0 inconclusive, 2 not tested, 0 not applicable, 0 error$'
says '^untested +1 case: needs rping at the device \(--rping\)$'
says "^untested +1 case: needs the device's SCTP address \\(--sctp\\)\$"
for one in rping-server-001 sctp-001; do
    grep -q "^{\"type\":\"case\",\"case\":\"$one\",.*\"verdict\":\"not tested\"" "$work/lacking/results.jsonl" || complain "$one is not \"not tested\"" run
done
# All cases, to a device of which nothing is given but its address: most cannot be tested, and no form says that the device passes.
expect 2 '' run --peer 127.0.0.1:"$port" --jobs 8 --out "$work/alone"
says '^12[0-9][0-9] cases: 1[0-9][0-9] pass, 0 fail, 0 inconclusive, 1[0-9]{3} not tested, [0-9]+ not applicable, 0 error$'
says '^requirements: 1[0-9][0-9] of [34][0-9][0-9] tested, 1[0-9][0-9] pass; cases: 1[0-9][0-9] of 12[0-9][0-9] that apply tested$'
says '^untested  9[0-9][0-9] cases: needs an agent on the device \(--agent\)$'
expect 2 '' report "$work/alone"
says '^alone: requirements: 1[0-9][0-9] of [34][0-9][0-9] tested, 1[0-9][0-9] pass; cases: 1[0-9][0-9] of 12[0-9][0-9] that apply tested$'
for form in junit tap html; do
    expect 2 '' report --format $form -o "$work/alone.$form" "$work/alone"
done
grep -q 'failures="0" errors="0" skipped="1[0-9][0-9][0-9]"' "$work/alone.junit" || complain 'the cases not tested are not skipped' report --format junit
grep -q '^ok .* # SKIP not tested: needs an agent on the device (--agent)' "$work/alone.tap" || complain 'the cases not tested are not skipped' report --format tap
grep -q 'class="verdict unjudged"' "$work/alone.html" || complain 'the page gives a verdict' report --format html
expect 2 '' report --bundle "$work/alone.tar" "$work/alone"
expect 2 '' verify-bundle "$work/alone.tar"
says ': the device is NOT JUDGED: 0 inconclusive, 1[0-9]{3} not tested, 0 in error, 0 not run$'
end_serve TERM
# what the README and serve itself offer to try
begin_serve
read -r line <&3
[ "$line" = "for load: --region $(region_stag),0x10000,65536" ] || complain "said '$line'" serve
read -r line <&3
[ "$line" = "for play: --arg stag=$(region_stag) --arg to=0x10000" ] || complain "said '$line'" serve
"$program" script "$root/captures/synth/terminate_crc.pcapng" >"$work/again.lua"
expect 0 '' play "$work/again.lua" --peer 127.0.0.1:"$port"
expect 3 'warpcheck: .*rdma_write.lua:8: give the region that .warpcheck serve. prints: --arg stag=STAG --arg to=TO' \
    play "$root/generator/examples/rdma_write.lua" --peer 127.0.0.1:"$port"
end_serve TERM
begin_serve --defect terminate-swallowed
expect 1 '' run --peer 127.0.0.1:"$port" --only mpa-crc-001 --no-out
expect 1 '' differential --only mpa-crc-001 reference 127.0.0.1:"$port"
says '^          terminate 2/0/02, none$'
end_serve TERM
expect 3 'warpcheck serve: unknown defect frobs .*' serve --defect frobs
expect 3 'warpcheck serve: --echo and --rping exclude each other' serve --echo --rping
expect 3 'warpcheck serve: --rping-size goes with --rping' serve --rping-size 64
expect 3 'warpcheck serve: --rping-size takes a number of octets from 64 to 65535, not 63' serve --rping --rping-size 63
begin_serve --sctp udp/0:127.0.0.1:0 --record "$work/served.pcapng"
echo "$region" | grep -qE '^listening on 127\.0\.0\.1:[0-9]+ over SCTP in UDP at [0-9]+$' || complain "said '$region'" serve
sctp=${region#listening on 127.0.0.1:}
read -r region <&3
cat >"$work/sctp.lua" <<'END'
local a = associate{host = "127.0.0.1", port = args.sctp, tunnel = args.tunnel}
local sink = region{size = 9}
local c = a:connect{stream = 1}
c:write{stag = args.stag, to = 0x10000, data = "over SCTP"}
c:read{region = sink, source_stag = args.stag, source_to = 0x10000, size = 9}
c:expect{{kind = "read_response", data = "over SCTP"}}
c:close()
c:expect{{kind = "close"}}
END
expect 0 '' play "$work/sctp.lua" --peer 127.0.0.1:"$port" --arg sctp="${sctp%% *}" --arg tunnel="${sctp##* }" --arg stag="$(region_stag)"
end_serve TERM
expect 0 '' check "$work/served.pcapng"
says 'over SCTP: session 1 on DDP Stream 1, terminated'
expect 3 'warpcheck serve: --sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not udp:7' serve --sctp udp:7
begin_serve --rping
expect 0 '' play "$root/generator/examples/rping_client.lua" --peer 127.0.0.1:"$port" --arg count=3
expect 0 '' run --peer 127.0.0.1:"$port" --before "echo >>'$work/readied'" --only '^mpa-startup-00[1-4]$' --no-out
[ "$(wc -l <"$work/readied")" -eq 4 ] || complain 'not once for each case' run --before
# The script is a client that expects a conforming server, so it can run only cases in which the suite conforms.
expect 0 '' run --peer 127.0.0.1:"$port" --rping --initiator "'$program' play '$root/generator/examples/rping_client.lua' --peer {host}:{port}" \
    --only '^rping-server-|^rping-client-0(01|11|12|13|15|16|31)$' --jobs 4 --no-out --accept-untested
says '^53 cases: 52 pass, 0 fail, 0 inconclusive, 1 not tested, 0 not applicable, 0 error$'
says '^untested +1 case: 64 octets of rping fit into one segment: '
expect 2 '' run --peer 127.0.0.1:"$port" --rping --initiator 'echo {port} >&2; echo no card; exit 7' --only rping-client-001 --no-out
says 'because +the command of --initiator has ended: exit code 7: no card$'
expect 3 'warpcheck: the command of --before: exit code 7: no card' run --peer 127.0.0.1:"$port" --before 'echo no card; exit 7' --no-out
end_serve TERM
begin_serve --rping --rping-size 8192
expect 0 '' run --peer 127.0.0.1:"$port" --rping --rping-size 8192 --only '^rping-server-0(01|18|20|38|45|46)$|^rping-client-0(01|15|61)$' --no-out \
    --initiator "'$program' play '$root/generator/examples/rping_client.lua' --peer {host}:{port} --arg size=8192"
says '^9 cases: 9 pass, '
end_serve TERM
expect 3 'warpcheck run: --initiator takes a command that contains .host. and .port., .*' run --peer 127.0.0.1:1 --initiator rping
expect 3 'warpcheck run: --initiator goes with --peer, or with --role initiator and --own-host' run --initiator 'rping {port}'
expect 3 'warpcheck run: --rping goes with --peer' run --rping
expect 3 'warpcheck run: --rping-size goes with --rping' run --peer 127.0.0.1:1 --rping-size 64
expect 3 'warpcheck run: --before goes with --peer' run --before true
expect 3 'warpcheck run: --sctp goes with --peer' run --sctp 127.0.0.1:7174
for where in 127.0.0.1 udp:7174 udp/0:127.0.0.1:7174 127.0.0.1:0; do
    expect 3 "warpcheck run: --sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not $where" \
        run --peer 127.0.0.1:7174 --sctp $where
done
expect 3 'warpcheck run: --tier takes none, rping or agent, not all' run --tier all
expect 0 '' run --tier none --tier rping --simulate --only 'client-001|^mpa-startup-001|^rdma-write-001' --no-out
says '^2 cases: 2 pass,'

expect 3 'warpcheck serve: --listen takes HOST:PORT, PORT at most 65535, IPv6 as \[HOST\]:PORT, not 7174' serve --listen 7174
expect 3 "warpcheck: /nonexistent/x: No such file or directory" serve --listen 127.0.0.1:0 --record /nonexistent/x
for size in 0 -1 4Q K 1.5M 1025G 99999999999999999999 ''; do
    expect 3 "warpcheck serve: --region takes a number of octets from 1 to 1024G, optionally with K, M or G, not $size" serve --region "$size"
done

exit $failed
