#!/bin/sh
# warpcheck check: options, formats, waivers, rotated files, extracts. Usage: check_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

capture=$work/send.pcap
octets() { # appends octets to the capture, given as octal escapes for printf
    # shellcheck disable=SC2059
    printf "$1" >>"$capture"
}
: >"$work/empty.pcap"
echo 'this is a text, not a capture' >"$work/text.pcap"
# pcap of IP packets: SYN and SYN, ACK, and a Request from 10.0.0.1:1 to 10.0.0.2:2
: >"$capture"
octets '\241\262\303\324\000\002\000\004\000\000\000\000\000\000\000\000\000\000\377\377\000\000\000\145'
octets '\000\000\000\001\000\000\000\000\000\000\000\050\000\000\000\050'
octets '\105\000\000\050\000\000\000\000\100\006\000\000\012\000\000\001\012\000\000\002'
octets '\000\001\000\002\000\000\000\000\000\000\000\000\120\002\377\377\000\000\000\000'
octets '\000\000\000\001\000\000\000\000\000\000\000\050\000\000\000\050'
octets '\105\000\000\050\000\000\000\000\100\006\000\000\012\000\000\002\012\000\000\001'
octets '\000\002\000\001\000\000\000\000\000\000\000\001\120\022\377\377\000\000\000\000'
octets '\000\000\000\001\000\000\000\000\000\000\000\074\000\000\000\074'
octets '\105\000\000\074\000\000\000\000\100\006\000\000\012\000\000\001\012\000\000\002'
octets '\000\001\000\002\000\000\000\001\000\000\000\001\120\020\377\377\000\000\000\000'
octets 'MPA ID Req Frame\100\001\000\000'
# the same without a handshake: the capture does not show what the responder sent before
head -c 24 "$capture" >"$work/late.pcap"
tail -c 76 "$capture" >>"$work/late.pcap"
expect 2 '' check "$work/late.pcap"
says '^    not judged: 1 side whose role or terms are not known$'
expect 3 'warpcheck check: no file given \(see warpcheck check --help\)' check
expect 3 'warpcheck check: option --format needs an argument' check --format
expect 3 'warpcheck check: --format takes text, jsonl, junit or html, not xml' check --format xml "$capture"
expect 3 'warpcheck check: --extensions takes none, default, all, or some of 7306, talpey, talpey5 and storm, separated by commas, not 7307' check --extensions 7307 "$capture"
for threads in 0 many 1025; do
    expect 3 "warpcheck check: --threads takes a number from 1 to 1024, not $threads" check --threads $threads "$capture"
done
for memory in 0 many 1023K 2P; do
    expect 3 "warpcheck check: --memory takes a number of octets from 1M, optionally with K, M or G, not $memory" \
        check --memory $memory "$capture"
done
expect 0 '' check --memory 1M "$capture"
expect 3 'warpcheck check: option --decode takes no argument' check --decode=yes "$capture"
expect 3 "warpcheck: $work/none.pcap: No such file or directory" check "$work/none.pcap"
expect 3 "warpcheck: $work/empty.pcap: empty file" check "$work/empty.pcap"
expect 3 "warpcheck: $work/text.pcap: not a capture file: neither pcap nor pcapng" check "$work/text.pcap"
expect 0 '' check "$capture"
says 'initiator: Rev 1, M=0 C=1 R=0, 0 octets of private data'
expect 0 '' check --decode "$capture"
says '^3 \[0\] initiator: MPA Request m=0 c=1 r=0 s=0 rev=1 pd_length=0$'
expect 0 '' check --format jsonl "$capture"
says '^\{"type":"summary",.*"exit":0\}$'
expect 0 '' check --format html "$capture"
says '^<title>conforms: '
says '^</html>$'
expect 0 '' check --fields "$capture"
says '^3	MPA ID Req Frame	0	1	0	0	0x00	1	0	'
[ "$("$program" check --fields "$capture" | tr -cd '\t' | wc -c)" -eq "$("$program" list fields | wc -l)" ] ||
    complain 'the number of columns is not that of the fields'
# the packets before a truncation are reported, then the truncation
cp "$capture" "$work/cut.pcap"
printf '\000\000\000\002' >>"$work/cut.pcap"
expect 3 "warpcheck: $work/cut.pcap: truncated after frame 3 \(octet [0-9]+\)" check "$work/cut.pcap"
says 'initiator: Rev 1'
says "^  not read to its end: $work/cut.pcap: truncated after frame 3 \\(octet [0-9]+\\)$"
says '0 notes: not fully judged; startup of 1 stream not finished$'
"$program" check - <"$work/cut.pcap" >"$work/out" 2>&1 && complain 'a truncated input gives no error' check - "<$work/cut.pcap"
says '^  not read to its end: standard input: truncated after frame 3 '
says '0 notes: not fully judged; startup of 1 stream not finished$'
# compressed, through a pipe, and both
gzip -c "$capture" >"$work/send.pcap.gz"
expect 0 '' check "$work/send.pcap.gz"
says 'initiator: Rev 1'
expect 3 'warpcheck: standard input: empty file' check - # standard input is /dev/null
for file in "$capture" "$work/send.pcap.gz"; do
    "$program" check - <"$file" >"$work/out" 2>&1 || complain 'standard input as a file fails' check - "<$file"
    says 'initiator: Rev 1'
    # shellcheck disable=SC2002  # tests a pipe
    cat "$file" | "$program" check - >"$work/out" 2>&1 || complain 'standard input as a pipe fails' check - "<$file"
    says 'initiator: Rev 1'
done
# shellcheck disable=SC2002
cat "$capture" | "$program" check --extract "$work/extracted" - 2>"$work/err" && complain 'a pipe with --extract gives no error' check --extract -
grep -qx 'warpcheck: standard input: not a regular file, but --extract has to read it twice' "$work/err" ||
    complain 'a different message' check --extract -
head -c 60 "$work/send.pcap.gz" >"$work/cut.pcap.gz"
expect 3 "warpcheck: $work/cut.pcap.gz: truncated after frame 0 \(octet 24 decompressed\): the compressed data is truncated" \
    check "$work/cut.pcap.gz"
# a capture without packets
head -c 24 "$capture" >"$work/silent.pcap"
expect 3 "warpcheck: $work/silent.pcap: no iWARP stream found in 0 frames" check "$work/silent.pcap"

# the summary of several captures counts what is missing in all of them
expect 3 "warpcheck: $work/empty.pcap: empty file" check "$root/captures/oddities/lost_send.pcap" "$capture" "$work/empty.pcap"
says '^not judged: 1024 octets not captured$'
says '^  because TCP octets are missing: the capture lost packets$'
says '^not read, or not to the end: 1 of 3 captures; see the errors on stderr$'
says '^2 iWARP streams, 3 FPDUs: 0 errors, 0 warnings, 0 notes: not fully judged; startup of 1 stream not finished$'
expect 3 "warpcheck: $work/empty.pcap: empty file" check --format jsonl "$capture" "$work/empty.pcap"
says '"errors":\["[^"]*/empty.pcap: empty file"\],.*"exit":3\}$'

# check: waivers and --max-level
bad=$root/captures/oddities/badcrc.pcap
known='RFC5044-4.4-11 clause="RFC 5044 4.4" owner=bob'
printf '%s reason="firmware 3" side=initiator\n' "$known" >"$work/known"
printf '# the responder does not violate it\n%s reason=none side=responder\n' "$known" >"$work/unused"
printf '\n%s\n' "$known" >"$work/wrong"
expect 1 '' check "$bad"
expect 0 '' check --waive "$work/known" "$bad"
says 'frame 6: waived error RFC5044-4\.4-11 '
says "^      waived: firmware 3 \(bob, $work/known:1\)$"
says '0 errors, 0 warnings, 0 notes, 1 waived: conforms$'
expect 1 "warpcheck: $work/unused:2: waived no finding: RFC5044-4.4-11" check --waive "$work/unused" "$bad"
expect 0 '' check --waive "$work/known" --format jsonl "$bad"
says '"waived":\{"line":1,"requirement":"RFC5044-4.4-11","clause":"RFC 5044 4.4","reason":"firmware 3","owner":"bob"\}'
says '"type":"waiver",.*"used":1\}'
expect 3 "warpcheck: $work/wrong:2: no reason given" check --waive "$work/wrong" "$bad"
expect 3 "warpcheck: $work/none: No such file or directory" check --waive "$work/none" "$bad"
expect 3 'warpcheck check: --max-level takes error, warning or note, not fatal' check --max-level fatal "$bad"
expect 1 '' check --max-level error "$bad"
expect 1 '' check --max-level note "$bad"

# the report counts what was not judged because of a limit of this program
limit=$root/captures/impairment/limit.pcap
expect 2 '' check "$limit"
says '^    not judged: 12 segments, STags, requests, chunks and findings beyond a limit of this program$'
expect 2 '' check --format jsonl "$limit"
says '"type":"stream",.*"unjudged":\{[^}]*"limit":12[,}]'

# requests without a response: every form shows their number, and the oldest with their times
for left in close:'when the connection was closed' capture:'at the end of the capture' sctp:'when the session ended'; do
    expect 0 '' check "$root/captures/subtle/outstanding_${left%%:*}.pcap"
    says "^    outstanding ${left#*:}: [12] requests? of the initiator without a response$"
done
expect 2 '' check "$root/captures/subtle/outstanding_gap.pcap"
says '^      RDMA Read Request, MSN 1, frame 6, since 20[0-9T:.-]*Z, perhaps answered, as not all was captured$'
expect 1 '' check "$root/captures/rules/rfc5040_reaction.pcap"
says '^      [A-Za-z ]* Request, MSN [0-9]*, frame [0-9]*, since 20[0-9T:.-]*Z, perhaps answered by a response that could not be matched$'
left=$root/captures/subtle/outstanding_close.pcap
expect 0 '' check "$left"
says '^      Atomic Request, MSN 3, frame 8, since 20[0-9T:.-]*Z$'
says '^    outstanding when the connection was reset: 1 request of the initiator'
says '^    outstanding after a Terminate: 1 request of the initiator'
says '^    outstanding when the connection was closed: 10 requests of the initiator'
says '^      and 2 more$'
expect 0 '' check --format jsonl "$left"
says '"outstanding":\{"at":"close","requests":2,"perhaps_answered":0,"first":\[\{"opcode":"RDMA Read Request","msn":2,"frame":7,"time":"'
says '"outstanding":\{"at":"close","requests":10,'
expect 0 '' check --format junit "$left"
says '<property name="outstanding" value="2 requests of the initiator without a response when the connection was closed"/>'
says '^    outstanding when the connection was closed: 2 requests'
expect 0 '' check --format html "$left"
says 'Outstanding when the connection was closed: 10 requests of the initiator without a response; the oldest:'
says '<li>Atomic Request, MSN 3, frame 8, since '

# check: JUnit XML
junit() { # validates the report against the schema
    "$program" check --format junit "$@" >"$work/junit.xml" 2>"$work/err"
    xmllint --noout --schema "$here/junit.xsd" "$work/junit.xml" 2>"$work/err" || complain "$(cat "$work/err")" check --format junit "$@"
    cp "$work/junit.xml" "$work/out"
}
junit "$bad" "$root/captures/oddities/lost_send.pcap" "$root/captures/vectors/negative.pcap" "$work/empty.pcap"
says '<failure type="MUST" message="CRC is 0x124455a0, expected 0x134455a0; 1 finding">'
says '<skipped message="1024 octets not captured: TCP octets are missing: the capture lost packets"/>'
says '<error type="environment" message="[^"]*/empty.pcap: empty file"/>'
[ "$(xmllint --xpath 'count(//testsuite)' "$work/junit.xml")" -eq 9 ] || complain 'not a suite per connection' check --format junit
[ "$(xmllint --xpath 'sum(//testsuite/@failures)' "$work/junit.xml")" -eq "$(xmllint --xpath 'count(//failure)' "$work/junit.xml")" ] ||
    complain 'failures are not counted' check --format junit
[ "$(xmllint --xpath 'sum(//testsuite/@tests)' "$work/junit.xml")" -eq "$(xmllint --xpath 'count(//testcase)' "$work/junit.xml")" ] ||
    complain 'test cases are not counted' check --format junit
# a session over SCTP is shown as such, without MPA and TCP
sessions=$root/captures/rules/rfc5043_chunk.pcap
junit "$sessions"
says 'name="[^"]*/rfc5043_chunk.pcap stream 3, session 2 on DDP Stream 0"'
says '<property name="transport" value="SCTP"/>'
expect 1 '' check --format html "$sessions"
says '<p>Over SCTP: session 1 on DDP Stream 0, terminated; 0 DATA chunks of its association not captured'
says '<td>Initiate</td><td>Accept</td>'
! grep -qE '>Sends markers<|>MPA revision<|<caption>TCP octets<' "$work/out" ||
    complain 'a session over SCTP has MPA or TCP' check --format html "$sessions"
cp "$bad" "$work/$(printf 'a\001\377<&"'"'"'.pcap')"
junit --waive "$work/known" "$work"/a*.pcap
says '<skipped message="waived: firmware 3 \(bob\)"/>'
says 'name="[^"]*/a\?\?&lt;&amp;&quot;'"'"'.pcap stream 0"'

# check: rotated files; editcap gives them names as dumpcap does
mkdir "$work/ring"
editcap -c 5 "$bad" "$work/ring/x.pcap"
cd "$work/ring" || exit 99
first=$(echo x_00000_*.pcap) second=$(echo x_00001_*.pcap)
expect 1 '' check "$second" "$first"
says "^$first to $second \(2 files\)$"
says "stream 0: .*, frames 1 of $first to 4 of $second$"
says "^    frame 1 of $second: error RFC5044-4\.4-11 "
says '^1 iWARP stream, 1 FPDU: 1 error, '
expect 1 '' check --format jsonl "$first" "$second"
says "\"type\":\"finding\",\"file\":\"$second\",.*\"frame\":1,"
says "\"type\":\"stream\",\"file\":\"$first\",.*\"last_file\":\"$second\""
says '"files":2,"streams":1,'
expect 1 '' check --format html --extensions 7306,talpey5 "$first" "$second"
says '^<p class="product">warpcheck [0-9.]+ '
says "<dt>Files</dt><dd class=\"path\">$first, $second</dd>"
says '<dt>Extensions in force</dt><dd>RFC 7306, draft-talpey-rdma-commit-01, 5-bit opcodes throughout</dd>'
says "<li>$second</li>"
says "&ndash;4 <span class=\"aside\">of $second</span>"
says "frame 1</a> <span class=\"aside\">of $second</span>"
says ">frames of $second:<"
expect 3 "warpcheck: $second: no iWARP stream found in 4 frames: 1 TCP connection without recognised iWARP; .*" check --chain none "$first" "$second"
cp "$first" a
cp "$second" b
expect 1 '' check --chain all b a
says '^    frame 1 of b: error RFC5044-4\.4-11 '
expect 3 'warpcheck check: --chain takes auto, all or none, not some' check --chain some "$bad"
# a truncated or missing part is reported, and the other parts are judged
head -c -3 a >part
expect 3 "warpcheck: part: truncated after frame 4 \(octet [0-9]+\)" check --chain all part b
says '^  stream 0: .*, frames 1 of part to 4 of b$'
says '^    not judged: 1 connection open where a file could not be read any further$'
says '^    not judged: 56 octets in which no FPDU could be found$' # the Reply was truncated, so it may have been a rejection
# each file with an error has a line on stderr, and is in the report
several() { # expects these lines on stderr, in this order
    "$program" check --chain all --format "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 3 ] || complain 'not exit 3' check --chain all --format "$@"
    printf '%s\n' "warpcheck: part: truncated after frame 4 (octet $cut)" 'warpcheck: none: No such file or directory' \
        'warpcheck: text: not a capture file: neither pcap nor pcapng' | diff - "$work/err" >&2 || complain 'different lines on stderr' check --chain all "$@"
}
cp "$work/text.pcap" text
rm -f none
cut=$(sed -n 's/.*truncated after frame 4 (octet \([0-9]*\)).*/\1/p' "$work/err")
[ "${cut:-0}" -gt 300 ] || complain 'no offset of the truncation' check --chain all part b
several text none part b text
says '^not read, or not to the end: 1 of 1 captures; see the errors on stderr$'
says '^  stream 0: .*, frames 1 of part to 4 of b$'
several junit none part b text
says "message=\"part: truncated after frame 4 \\(octet $cut\\); none: No such file or directory; text: not a capture file: neither pcap nor pcapng\""
# some parts are compressed, others not yet
gzip -c a >y.pcap1.gz
cp b y.pcap2
expect 1 '' check y.pcap2 y.pcap1.gz
says '^    frame 1 of y.pcap2: error RFC5044-4\.4-11 '
rm y.pcap1.gz y.pcap2
# files of two captures, at the same time
cp "$bad" x.pcap1
cp x.pcap1 x.pcap2
expect 1 'warpcheck: x.pcap2: begins [0-9.]+ s before x.pcap1 ends; use --chain none unless they are parts of one capture' check x.pcap1 x.pcap2
expect 1 '' check --chain none x.pcap1 x.pcap2
# an extract has an interface for each link type of its connection
for name in interfaces links; do
    expect 1 '' check --extract extracts "$root/captures/oddities/$name.pcapng"
    expect 1 '' check "extracts/$name-stream0.pcapng"
    says 'frames 1 to 9$'
    says '^    frame 6: error RFC5044-4\.4-11 '
done
# a pipe is rejected if it would have to be read twice, without waiting for its writer
mkfifo pipe pipe.pcap1
expect 3 'warpcheck: pipe.pcap1: not a regular file, but --chain has to read it twice' check pipe.pcap1 pipe.pcap2
expect 3 'warpcheck: pipe: not a regular file, but --chain has to read it twice' check --chain all a pipe
expect 3 'warpcheck: pipe: not a regular file, but --extract has to read it twice' check --extract "$work/pipes" "$bad" pipe
cat "$bad" >pipe &
expect 1 '' check pipe
wait $!
cd "$here" || exit 99

# check: a small capture of each violating connection
expect 1 '' check --extract "$work/extract" "$bad" "$root/captures/vectors/negative.pcap" "$root/captures/siw/siw2siw_rping_crc.pcap"
says "^    extract: $work/extract/badcrc-stream0.pcapng$"
[ "$(cd "$work/extract" && echo *)" = 'badcrc-stream0.pcapng negative-stream0.pcapng negative-stream1.pcapng negative-stream2.pcapng negative-stream3.pcapng negative-stream4.pcapng' ] ||
    complain "not one capture per violating connection: $(ls "$work/extract")" check --extract
expect 1 '' check "$work/extract/badcrc-stream0.pcapng"
says 'frames 1 to 9$'
says '^    frame 6: error RFC5044-4\.4-11 '
expect 1 '' check "$work/extract/negative-stream2.pcapng"
says 'frame 6: error RFC5041-4\.1-08 '
tshark -r "$work/extract/badcrc-stream0.pcapng" -T fields -e frame.number -e frame.comment >"$work/out" 2>/dev/null
says '^6	error RFC5044-4\.4-11 \(RFC 5044 4\.4, MUST\) initiator: CRC is 0x124455a0, expected 0x134455a0$'
[ "$(grep -c error "$work/out")" -eq 1 ] || complain 'other packets have comments' check --extract
# no file is overwritten; extracts of two captures with the same name get different names
expect 1 '' check --extract "$work/extract" "$root/captures/vectors/sctp_malformed.pcap"
for session in 0 1; do
    expect 1 '' check "$work/extract/sctp_malformed-stream$session.pcapng"
    says 'RFC5043-6.1-01'
done
cp "$work/extract/badcrc-stream0.pcapng" "$work/before"
expect 3 "warpcheck: $work/extract/badcrc-stream0.pcapng: exists already; not overwritten" check --extract "$work/extract" "$bad"
cmp -s "$work/extract/badcrc-stream0.pcapng" "$work/before" || complain 'a file was overwritten' check --extract
mkdir "$work/other" && cp "$bad" "$work/other"
expect 1 '' check --extract "$work/twice" "$bad" "$work/other/badcrc.pcap"
says "^    extract: $work/twice/badcrc-stream0-2.pcapng$"
expect 3 "warpcheck: /dev/null/x: Not a directory" check --extract /dev/null/x "$bad"
# a connection whose findings are all waived is not extracted
expect 0 '' check --waive "$work/known" --extract "$work/waived" "$bad"
[ ! -e "$work/waived" ] || complain 'something was extracted' check --extract
# an extract of a rotated capture has packets of several files
expect 1 '' check --chain all --extract "$work/across" "$work/ring/a" "$work/ring/b"
expect 1 '' check "$work/across/a-stream0.pcapng"
says 'frames 1 to 9$'
says '^    frame 6: error RFC5044-4\.4-11 '

# an extract of a long connection has only the beginning and the packets around the finding
printf '%s\n' 'local c = connect{}' 'for i = 1, 1500 do c:send{data = "hello"} end' 'c:send{data = "hello", crc_flip = 1}' \
    'c:expect{{kind = "terminate"}}' 'c:expect{{kind = "close", how = any{"fin", "rst"}}}' >"$work/long.lua"
expect 0 '' synth --quiet "$work/long.lua" -o "$work/long.pcapng"
expect 1 '' check --extract "$work/extract" "$work/long.pcapng"
expect 1 '' check "$work/extract/long-stream0.pcapng"
says 'frames 1 to 52$' # the handshake and 29 more packets, 16 before the wrong FPDU, the FPDU, and three after it
says '^    frame 49: error RFC5044-4\.4-11 '

# check: progress is for terminals only
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    [ $i -gt 1 ] || cp "$bad" "$work/long.pcap"
    tail -c +25 "$work/long.pcap" >"$work/more" && cat "$work/more" >>"$work/long.pcap"
done
script -qec "'$program' check '$work/long.pcap'" /dev/null >"$work/out" 2>&1
says "long.pcap: [0-9]+%, [0-9]+ frames"
expect 1 '' check "$work/long.pcap"

expect 3 'warpcheck check: --format, --decode and --fields exclude each other' check --decode -f jsonl x

exit $failed
