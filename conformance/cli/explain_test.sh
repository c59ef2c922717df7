#!/bin/sh
# What `explain` says of captures whose story is known, and that it finds no cause where nothing failed.
# Usage: explain_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
captures=$here/../../captures

expect 3 'warpcheck explain: --format takes text, jsonl or html, not xml' explain --format xml x
expect 3 'warpcheck explain: no file given .*' explain

# the reader's own buffer
expect 1 '' explain "$captures/causes/read_sink_rights.pcap"
says "^    cause: The reader's own buffer does not permit its Read Response \(likely\) \[read-sink-rights\]$"
says '^      evidence: frame 8, frame 9, frame 10$'
says '^    Terminate of the initiator in frame 10: 1/1/00, Invalid STag; the capture cannot show whether that is true$'

# a Terminate that the capture contradicts
expect 1 '' explain "$captures/causes/crc_receiver.pcap"
says 'MPA CRC Error; the capture contradicts it$'

# two connections between the same addresses and ports: each has its own story, and its own judgement
expect 1 '' explain "$captures/causes/reconnected.pcap"
says '^  stream 0: .*, frame 1 to frame 11, '
says '^      The initiator names STag 0x11223344 for the first time, and the responder rejects it\.$'
says '^  stream 1: .*, frame 12 to frame 22, '
says '^      The initiator names STag 0x55667788 for the first time, and the responder rejects it\.$'
says '^2 connections: 2 with a cause, '
expect 0 '' check --format jsonl "$captures/causes/reconnected.pcap"
[ "$(grep -c '"type":"stream".*"initiator":{"address":"192.0.2.1:46199",.*"fpdus":2,' "$work/out")" -eq 2 ] || complain 'not two connections' check

# a Terminate without a known cause
expect 2 '' explain "$captures/vectors/sctp_terminate.pcap"
says '^    cause: not known$'
says '^      next: Look at the logs of the responder, 192\.0\.2\.2:4711, at this time: program, driver and device\. It sent the Terminate\.$'
# and for programs
expect 2 '' explain --format jsonl "$captures/vectors/sctp_terminate.pcap"
says '"outcome":"not known",.*"next":"Look at the logs of the responder, 192\.0\.2\.2:4711, at this time: '

# the worst connection first, whatever the order of the capture; the same with any number of threads
expect 1 '' explain --threads 1 "$captures/rules/rfc5040_terminate.pcap"
cp "$work/out" "$work/one"
expect 1 '' explain --threads 3 "$captures/rules/rfc5040_terminate.pcap"
cmp -s "$work/one" "$work/out" || complain 'another text with three threads' explain
[ "$(grep -m 1 -n 'cause: not known' "$work/out" | cut -d : -f 1)" -gt "$(grep -n '\[no-receive-buffer\]' "$work/out" | tail -n 1 | cut -d : -f 1)" ] ||
    complain 'a connection without a known cause comes before one with a cause' explain

# in each file causes, then failures without one, violations, what is not captured as a whole, and what is fine
"$program" explain --chain none --format jsonl "$captures"/rules/*.pcap "$captures"/impairment/*.pcap 2>/dev/null | grep '"type":"explanation"' |
    grep -v '"causes":\[{"cause":"[a-z-]*","group":"slow"' |
    sed 's/.*"file":"\([^"]*\)".*"outcome":"\([^"]*\)".*/\1\t\2/' >"$work/order"
[ "$(cut -f 2 "$work/order" | sort -u | wc -l)" -eq 5 ] || complain 'not all outcomes' explain
awk -F '\t' 'BEGIN { rank["cause"] = 4; rank["not known"] = 3; rank["violations"] = 2; rank["partial"] = 1 }
    $1 == file && rank[$2] > latest { print; wrong = 1 } { file = $1; latest = rank[$2] } END { exit wrong }' "$work/order" ||
    complain 'a connection after a better one' explain

# the same story in the report of check, in both forms
expect 1 '' check --explain "$captures/synth/terminate_msn.pcapng"
says '^    cause: The sender numbers its messages wrongly \(certain\) \[msn-sender\]$'
expect 1 '' check --explain --format jsonl "$captures/synth/terminate_msn.pcapng"
grep '"type":"explanation"' "$work/out" >"$work/one"
expect 1 '' explain --format jsonl "$captures/synth/terminate_msn.pcapng"
grep '"type":"explanation"' "$work/out" | cmp -s - "$work/one" || complain 'another story' check --explain
expect 3 'warpcheck check: --explain needs --format text or jsonl, without --decode or --fields' check --explain --decode "$captures/synth/terminate_msn.pcapng"

# the page
expect 1 '' explain --format html "$captures/causes/response_stopped.pcap" "$captures/ulp/nfs41_rdma.pcap"
says '<h3>A Read Response stopped half-way</h3>'
says '^<pre><span class="outer">    cause: A Read Response stopped half-way \(certain\) \[response-stopped\]$'
says '<span class="outer">    ended: by a FIN of the initiator in frame 11$'
! grep -q "$(printf '\357\277\275')" "$work/out" || complain 'an escaped control character' explain --format html
says 'aria-label="histogram of latencies"'
[ "$(grep -c '<article class="story" ' "$work/out")" -eq 2 ] || complain 'not two stories' explain --format html

# a name of a file begins no line of the report
forged="$work/x
  stream 9: forged.pcap"
cp "$captures/causes/crc_zero.pcap" "$forged"
for command in explain check; do
    expect 1 '' "$command" "$forged"
    ! grep -q '^  stream 9' "$work/out" || complain 'a line made of a name' "$command"
done

# a capture without iWARP
expect 3 ".*: not a capture.*|.*" explain "$captures/impairment/port_mapper.wrap"

# the clock of the capture steps back: the last packet, of 54 octets, is of 1970
cp "$captures/causes/clean.pcap" "$work/clock.pcap"
printf '\0\0\0\0' | dd of="$work/clock.pcap" bs=1 seek=$(($(stat -c %s "$work/clock.pcap") - 70)) conv=notrunc 2>/dev/null
expect 0 '' explain "$work/clock.pcap"
says ', frame 1 to frame 11, duration not known: the clock of the capture stepped back$'
expect 0 '' explain --format jsonl "$work/clock.pcap"
says '"last_frame":11,"clock_stepped_back":true,'

# a connection without a startup frame: its first two packets
head -c 164 "$captures/causes/clean.pcap" >"$work/syn.pcap"
expect 3 '.*: no iWARP stream found in 2 frames: 1 TCP connection that is not iWARP; if it is a connect that failed, look for a SYN .*' explain "$work/syn.pcap"

# two Terminates: in the order of their frames
expect 1 '' explain "$captures/oddities/term_ddp.pcap"
[ "$(grep -oE '^    Terminate of the [a-z]+ in frame [0-9]+' "$work/out" | cut -d ' ' -f 11 | paste -s -d ' ')" = '6 7' ] ||
    complain 'Terminates out of order' explain

# violations without a failure
expect 1 '' explain "$captures/oddities/opcodes.pcap"
grep -q 'cause: no failure seen, but violations' "$work/out" || complain 'hides violations' explain
says '^      seen in frame [0-9]+: AOpCode is 1, expected 0 or 2 \(RFC7306-5\.2\.1-01\); sent by the initiator$'
expect 1 '' explain --format jsonl "$captures/oddities/opcodes.pcap"
says '"outcome":"violations",.*\{"frame":9,"side":"initiator","requirement":"RFC7306-5\.2\.1-01","message":"AOpCode is 1, expected 0 or 2"\}'

# a violation, and then a RST: its text is not cut
expect 1 '' explain "$captures/synth/answer_twice.pcapng"
says '^    cause: .* \(possible\) \[protocol-violation\]$'
says '^      RDMA Read Response is for STag 0x00000200, without an outstanding Read Request, expected the response to an outstanding request \(RFC5040-5\.2-01\); sent by the responder\. '

# the layer above: its name, and its calls without a reply
for pair in 'smb_direct:SMB Direct' 'nfs41_rdma:RPC-over-RDMA' 'iser:iSER' 'nvme_rdma_p2p:NVMe over RDMA'; do
    "$program" explain "$captures/ulp/${pair%%:*}.pcap" >"$work/out"
    grep -qx "    protocol: ${pair#*:}" "$work/out" || complain "does not name ${pair#*:}" explain
done
grep -qxE '      NVMe Asynchronous Event Request, CID 0x001f, of the initiator, frame 41, for [0-9.]+ ms \(normal: the reply comes with an event\)' "$work/out" ||
    complain 'does not name the call without a reply' explain

# how many findings `check --upper` has of it, in both forms
expect 0 '' explain "$captures/ulp/nfs41_rdma.pcap"
says "^      'warpcheck check --upper warn' finds violations of its rules: 21 errors, 0 warnings$"
expect 0 '' explain --format jsonl "$captures/ulp/nfs41_rdma.pcap"
says '"upper_findings":\{"error":21,"warning":0,"note":0\}'
expect 0 '' explain "$captures/ulp/nvme_rdma_p2p.pcap"
! grep -q 'violations of its rules' "$work/out" || complain 'findings of the layer above without any' explain

# no cause where nothing failed: all captures that conform, except where a side says that it failed, or ended with open requests or calls
set --
while IFS='	' read -r file code _; do
    case $file in \#*) continue ;; esac
    [ "$code" != 0 ] || set -- "$@" "$captures/$file"
done <"$captures/manifest.tsv"
[ $# -gt 50 ] || complain "only $# captures conform" explain
"$program" explain --chain none --format jsonl "$@" >"$work/clean"
[ $? -lt 3 ] || complain 'failed' explain "$@"
! grep '"type":"explanation"' "$work/clean" | grep -v '"outcome":"nothing wrong seen"' |
    grep -vE '"ended":"(terminate|rejected)"|"ended":"(reset|close)".*("outstanding":|had no reply\.")' || complain 'a cause where nothing failed' explain
# every member of the objects is documented
"$program" explain --chain none --format jsonl "$captures"/causes/*.pcap "$captures"/ulp/*.pcap 2>/dev/null |
    grep -oE '"[a-z0-9_]+":' | tr -d '":' | sort -u >"$work/members"
[ "$(wc -l <"$work/members")" -gt 60 ] || complain 'few members' explain --format jsonl
while read -r member; do
    grep -qE "[\`.\"]${member}[\`\"]" "$here/../../docs/json.md" || complain "docs/json.md lacks $member" explain --format jsonl
done <"$work/members"
# no capture of the corpus is too large
"$program" explain --chain none --format jsonl "$captures"/*/*.pcap* >/dev/null 2>"$work/err"
[ $? -lt 3 ] || complain "$(cat "$work/err")" explain 'captures/*/*.pcap*'
# and of each an object
grep -q '"type":"summary"' "$work/clean" || complain 'no summary' explain

# a connect that fails, to an address and port that accepts iWARP
expect 1 '' explain "$captures/causes/connect_unanswered.pcap"
says "^    cause: The responder's host does not answer the connect \(likely\) \[connect-unanswered\]$"
says '^      192\.0\.2\.2:4711 did not answer 3 SYNs of 1 connection, the first of 192\.0\.2\.1:46072 in frame 1\. It accepted stream 1, which begins in frame 4\.$'
says '^2 connections: 1 with a cause, 0 failed for a reason that is not known$'
expect 1 '' explain --format jsonl "$captures/causes/connect_refused.pcap"
says '"type":"capture",.*"cause":"connect-refused".*"confidence":"certain".*"frames":\[1,2\]'
# in the second file of a rotated capture: people read frames of a file, programs those of all files
expect 1 '' explain --chain all "$captures/causes/clean.pcap" "$captures/causes/connect_refused.pcap"
says '^      evidence: frame 1 of .*/connect_refused\.pcap, frame 2 of .*/connect_refused\.pcap$'
expect 1 '' explain --chain all --format jsonl "$captures/causes/clean.pcap" "$captures/causes/connect_refused.pcap"
says '"type":"capture","file":"[^"]*/connect_refused\.pcap",.*"frames":\[12,13\]'
expect 1 '' explain --chain all --format html "$captures/causes/clean.pcap" "$captures/causes/connect_refused.pcap"
says 'evidence: frame 1 of [^ ]*/connect_refused\.pcap, frame 2 of [^ ]*/connect_refused\.pcap$'
says '^<p>Stream 2 of .*, frame 3 of [^ ]*/connect_refused\.pcap to frame 12 of [^ ]*/connect_refused\.pcap</p>$'
# the list of the page has it, with its id, and a link to its story
expect 1 '' explain --format html "$captures/causes/connect_refused.pcap"
says "^<li><a href=\"#story-1\">The responder&#39;s host refused the connect</a> \[connect-refused\], .*/connect_refused\.pcap: 192\.0\.2\.2:4711 refused 1 SYN .*</li>$"
says "^<article class=\"story\" id=\"story-1\"><h3>The responder&#39;s host refused the connect</h3>$"
says "^<pre><span class=\"outer\">    cause: The responder&#39;s host refused the connect \(certain\) \[connect-refused\]$"

# what the memory of a request is for
expect 1 '' explain "$captures/causes/response_stopped_nfs.pcap"
says '^      RDMA Read Request, MSN 1, frame 7, for 30\.003 s, 32 of 64 octets came, for NFS WRITE in frame 6$'
expect 1 '' explain --format jsonl "$captures/causes/response_stopped_nfs.pcap"
says '"purpose":"for NFS WRITE in frame 6"'

# the side that stopped within a frame, not the one that closed then
expect 2 '' explain "$captures/causes/startup_part_of_fpdu.pcap"
says '^      next: Look at the logs of the initiator, 192\.0\.2\.1:46110, at this time: program, driver and device\. It stopped within a frame, 20\.001 s before the other side sent the FIN\.$'
expect 2 '' explain "$captures/causes/startup_part_of_reply.pcap"
says '^      next: Look at the logs of the responder, 192\.0\.2\.2:4711, at this time: program, driver and device\. It stopped within a frame, 10\.001 s before the other side sent the FIN\.$'

# an initiator that closes while its own request waits
expect 0 '' explain "$captures/causes/fin_request_own.pcap"
says '^    cause: nothing wrong seen$'
says '^    ended: by a FIN of the initiator in frame 9, while 1 request of its own had no whole response$'

# what other connections show of a responder that closed: only explain has them all, as a story of check is told at the end of its connection
expect 1 '' explain "$captures/causes/startup_revision_closed.pcap"
says '^    cause: The sides do not agree on the MPA revision \(likely\) \[startup-revision\]$'
says '^    cause: The responder closed instead of sending a Reply \(possible\) \[startup-closed\]$'
says '^2 connections: 1 with a cause, 0 failed for a reason that is not known$'
expect 1 '' explain --chain all "$captures/causes/startup_revision_closed.pcap" "$captures/causes/clean.pcap"
says 'from the same host: stream 1, which begins in frame 7 of .*/startup_revision_closed\.pcap\.$'
expect 0 '' check --explain "$captures/causes/startup_revision_closed.pcap"
says '^    cause: The responder closed instead of sending a Reply \(certain\) \[startup-closed\]$'
says '^    cause: The sides do not agree on the MPA revision \(possible\) \[startup-revision\]$'

# the longest wait: until the FIN, the end of the capture, or a message
expect 1 '' explain "$captures/causes/response_stopped.pcap"
says '^    longest wait: 30\.002 s from frame 9 to the end in frame 11, with 1 request outstanding$'
expect 1 '' explain --format jsonl "$captures/causes/response_stopped.pcap"
says '"longest_wait":\{"ns":30002000000,"begin_frame":9,"end_frame":11,"outstanding":1,"to_end":true\}'
expect 1 '' explain "$captures/causes/response_missing_open.pcap"
says '^    cause: A request stays without a response \(possible\) \[response-missing\]$'
says '^    longest wait: 30\.00[0-9] s from frame 8 to the end of the capture, with 1 request outstanding$'
expect 1 '' explain --format jsonl "$captures/causes/response_missing_open.pcap"
says '"longest_wait":\{"ns":300[0-9]{8},"begin_frame":8,"outstanding":1,"to_end":true\}'
expect 0 '' explain "$captures/ulp/nfs41_rdma.pcap"
says '^    longest wait: 4\.237 ms between frame 240 and frame 243, with 2 requests outstanding$'

# the times of the first and the last frame
expect 1 '' explain --format jsonl "$captures/causes/response_stopped.pcap"
says '"first_frame":1,"begin":"2023-11-14T22:13:20\.000000000Z","last_frame":12,"end":"2023-11-14T22:13:50\.011000000Z"'

# what was sent: a message without its last segment is not counted, and no octets without payload
expect 1 '' explain "$captures/causes/response_stopped.pcap"
says '^    the initiator sent 1 x RDMA Read Request, 1 x Send \(5 octets\)$'
says '^    the responder sent RDMA Read Response without its last segment \(5 octets\), 1 x Send \(5 octets\)$'

# latencies: of Reads 0.602, 9.760, 21.917 and 22.488 ms by tshark; a quantile of a histogram is rounded
expect 0 '' explain "$captures/ulp/nfs41_rdma.pcap"
says '^    RDMA Read Request of the responder: 4 answered, mean 13\.692 ms, mean 5\.522 ms to the first octet$'
# calls of the protocol above, by kind: the one NFS NULL is in frame 8, its reply in frame 9
says '^    NFS NULL of the initiator: 1 answered, 1\.030 ms: frame 8, answered in frame 9$'
says '^    NFS READ of the initiator: 8 answered, median about [0-9.]+ ms, mean [0-9.]+ ms$'
expect 0 '' explain --format jsonl "$captures/ulp/nfs41_rdma.pcap"
says '\{"call":"NFS NULL","answered":1,"p50_ns":1030000,"p99_ns":1030000,"max_ns":1030000,"mean_ns":1030000,"slowest_request_frame":8,"slowest_response_frame":9\}'
says '"startup":\{"rev":2,"m":false,"c":true,"r":false,"s":true,"pd_length":12,"enhanced":\{"peer_to_peer":false,"ird":128,"ord":0,'
says '\{"opcode":"READ_RESPONSE","messages":4,"segments":[0-9]+,"octets":200608\}'

# rates: none of a few FPDUs, and in a unit that suits them
expect 0 '' explain "$captures/ulp/nfs41_rdma.pcap"
says '^    the initiator: 99\.[0-9] kB/s including pauses, 25% of 215 FPDUs below 256 octets, 35% within one packet, 0 of 565 segments retransmitted$'
expect 2 '' explain "$captures/oddities/unaligned_drop.pcap"
says '^    the initiator: 142\.9 MB/s including pauses, 0% of 399 FPDUs '
expect 1 '' explain "$captures/causes/response_stopped.pcap"
says '^    the initiator: 0 of 7 segments retransmitted, up to 1 request outstanding$'
says '^    the responder: 0 of 5 segments retransmitted$'
expect 2 '' explain "$captures/vectors/sctp_terminate.pcap" # a message of each side, and no segments
! grep -qE '^    the (initiator|responder):$|FPDU' "$work/out" || complain 'rates of two messages' explain

# violations without a failure: counted in the last line and in the summary
expect 1 '' explain "$captures/siw/siw2siw_read_bw_crc.pcap"
says '^2 connections: 0 with a cause, 0 failed for a reason that is not known, 1 with violations only$'
expect 1 '' explain --format jsonl "$captures/siw/siw2siw_read_bw_crc.pcap"
says '"streams":2,"with_cause":0,"not_known":0,"violating":1,"partial":0,"exit":1'

# a capture that lacks something: a note, and exit code 2 if nothing wrong was seen
{ head -c 24 "$captures/causes/clean.pcap"; tail -c +415 "$captures/causes/clean.pcap"; } >"$work/late.pcap"
expect 2 '' explain "$work/late.pcap"
says '^    note: The capture begins after the startup \(certain\) \[capture-late\]$'
says '^    cause: nothing wrong seen, but the capture is incomplete$'
says '^1 connection: 0 with a cause, 0 failed for a reason that is not known, 1 not captured as a whole$'
expect 2 '' explain --format jsonl "$work/late.pcap"
says '"outcome":"partial"'
expect 2 '' explain --format html "$work/late.pcap"
says '<h3>Nothing wrong seen, but the capture is incomplete</h3>'
says '^<p>1 connection: 0 with a cause, 0 failed for a reason that is not known, 1 not captured as a whole\. '

# an open connection whose response or Write is not complete: what to look at next, without a cause
head -c 838 "$captures/causes/response_stopped.pcap" >"$work/outstanding.pcap" # frames 1 to 9
expect 0 '' explain "$work/outstanding.pcap"
says '^      RDMA Read Request, MSN 1, frame 8, for 1\.000 ms, 5 of 8 octets came$'
says '^      next: see whether the response comes in a longer capture; the device of the responder sends it without its program$'
head -c 260830 "$captures/ulp/nfs41_rdma.pcap" >"$work/half-way.pcap" # frames 1 to 507
expect 0 '' explain "$work/half-way.pcap"
says '^    incomplete: RDMA Write of the responder, STag 0x26801f03, without its last segment'
says '^      next: see whether the rest comes in a longer capture; the device of the responder sends the segments of a Write without its program$'

# RoCE is no connection, and has its evidence: four times the packet of captures/causes/roce_one.wrap
roce="\000\361\123\145\000\000\000\000\102\000\000\000\102\000\000\000\002\000\000\000\000\002\002\000\000\000\000\001\
\010\000\105\000\000\064\000\000\100\000\100\021\266\265\300\000\002\001\300\000\002\002\300\000\022\267\000\040\
\000\000\004\100\377\377\000\000\000\021\200\000\000\001\001\002\003\004\005\006\007\010\011\012\013\014"
# shellcheck disable=SC2059
{ head -c 24 "$captures/causes/clean.pcap"; for _ in 1 2 3 4; do printf "$roce"; done; } >"$work/roce.pcap"
expect 1 '' explain "$work/outstanding.pcap" "$work/roce.pcap"
says '^    cause: The hosts speak RoCE, not iWARP \(likely\) \[roce\]$'
says '^      evidence: frame 1$'
says '^1 connection: 0 with a cause, 0 failed for a reason that is not known; 1 capture with RoCE, without iWARP$'
expect 1 '' explain --chain all "$work/syn.pcap" "$work/roce.pcap"
says '^      evidence: frame 1 of .*/roce\.pcap$'
expect 1 '' explain --chain all --format jsonl "$work/syn.pcap" "$work/roce.pcap"
says '"type":"capture","file":"[^"]*/roce\.pcap",.*"frames":\[3\]'
expect 1 '' explain --format html "$work/roce.pcap"
says '^<li><a href="#story-0">The hosts speak RoCE, not iWARP</a> \[roce\], '
says '^<article class="story" id="story-0"><h3>The hosts speak RoCE, not iWARP</h3>$'
# of a failed connect, too
expect 1 '' explain "$captures/causes/connect_refused.pcap"
says '^      evidence: frame 1, frame 2$'
says '^      next: Check that .* \(RFC 9293 3\.5\.2\)$'

# standard input has its name
"$program" explain - <"$captures/causes/clean.pcap" >"$work/out"
says '^standard input$'

# control characters of a file's name do not reach the terminal, in any form or message
named="$work/$(printf 'a\033[31mb.pcap')"
cp "$captures/causes/response_stopped.pcap" "$named"
cp "$named" "$named.1"
cp "$work/syn.pcap" "$named.2"
for form in text jsonl html; do
    "$program" explain --chain none --format $form "$named" "$named.2" "$work/$(printf '\033absent')" >"$work/out" 2>&1
    ! grep -q "$(printf '\033')" "$work/out" || complain 'prints a control character' explain --format $form
    grep -qE 'a(\?|\\u001b|.*)\[31mb\.pcap' "$work/out" || complain 'does not name the file' explain --format $form
done
"$program" explain --chain all "$named" "$named.1" >"$work/out" 2>&1
! grep -q "$(printf '\033')" "$work/out" || complain 'prints a control character' explain --chain all
"$program" check --explain --chain all "$named" "$named.1" >"$work/out" 2>&1
! grep -q "$(printf '\033')" "$work/out" || complain 'prints a control character' check --explain

# 'help debug' says how to read an explanation
expect 0 '' help debug
# shellcheck disable=SC2016 # the page marks up words so
says '^ *`cause`  *the most probable cause'

exit $failed
