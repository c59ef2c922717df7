#!/bin/sh
# Exit codes and error lines of the program. Usage: cli_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

# the program
expect 3 'warpcheck: no command given .*'
expect 3 'warpcheck: unknown command frobnicate .*' frobnicate
expect 3 'warpcheck: unknown option --frobnicate .*' --frobnicate
expect 0 '' --help
says '^  check '
expect 0 '' help check
says '^Usage: warpcheck check '
expect 0 '' --version
says '^warpcheck [0-9]+\.[0-9]+\.[0-9]+$'
for command in run differential report verify-bundle probe check play serve synth script load list extcap; do
    expect 0 '' $command --help
    says "^Usage: warpcheck $command "
    says '^Examples:'
    says '^Exit codes:'
    expect 3 "warpcheck $command: unknown option --frobnicate \(see warpcheck $command --help\)" $command --frobnicate
done
"$program" --help >/dev/full 2>"$work/err"
[ $? -eq 3 ] || complain 'a full disk looked like success' --help
"$program" check --format junit "$root/captures/oddities/badcrc.pcap" >/dev/full 2>"$work/err"
[ "$(cat "$work/err")" = 'warpcheck: standard output: No space left on device' ] ||
    complain 'a full disk is not what is told, or not alone' check --format junit

# check
capture=$work/send.pcap
octets() { # octets in octal escapes for printf
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
# the same without a handshake: what the responder sent before is not known
head -c 24 "$capture" >"$work/late.pcap"
tail -c 76 "$capture" >>"$work/late.pcap"
expect 2 '' check "$work/late.pcap"
says '^    not judged: 1 side whose startup frame was not captured$'
expect 3 'warpcheck check: no file given \(see warpcheck check --help\)' check
expect 3 'warpcheck check: option --format needs an argument' check --format
expect 3 'warpcheck check: --format takes text, jsonl, junit or html, not xml' check --format xml "$capture"
expect 3 'warpcheck check: --extensions takes none, default, all, or some of 7306, talpey, talpey5 and storm, separated by commas, not 7307' check --extensions 7307 "$capture"
for threads in 0 many 1025; do
    expect 3 "warpcheck check: --threads takes a number from 1 to 1024, not $threads" check --threads $threads "$capture"
done
expect 3 'warpcheck play: --extensions takes none, .*, not 7307' play --extensions 7307 x.lua
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
    complain 'not one column for each field'
# what stands before the cut is reported, and then the cut
cp "$capture" "$work/cut.pcap"
printf '\000\000\000\002' >>"$work/cut.pcap"
expect 3 "warpcheck: $work/cut.pcap: truncated after frame 3 \(octet [0-9]+\)" check "$work/cut.pcap"
says 'initiator: Rev 1'
says "^  not read to its end: $work/cut.pcap: truncated after frame 3 \\(octet [0-9]+\\)$"
says '0 notes: not fully judged; startup of 1 stream not finished$'
"$program" check - <"$work/cut.pcap" >"$work/out" 2>&1 && complain 'the whole input' check - "<$work/cut.pcap"
says '^  not read to its end: standard input: truncated after frame 3 '
says '0 notes: not fully judged; startup of 1 stream not finished$'
# compressed, through a pipe, and both
gzip -c "$capture" >"$work/send.pcap.gz"
expect 0 '' check "$work/send.pcap.gz"
says 'initiator: Rev 1'
expect 3 'warpcheck: standard input: empty file' check - # it is /dev/null
for file in "$capture" "$work/send.pcap.gz"; do
    "$program" check - <"$file" >"$work/out" 2>&1 || complain 'no file' check - "<$file"
    says 'initiator: Rev 1'
    # shellcheck disable=SC2002  # a pipe is meant
    cat "$file" | "$program" check - >"$work/out" 2>&1 || complain 'no pipe' check - "<$file"
    says 'initiator: Rev 1'
done
# shellcheck disable=SC2002
cat "$capture" | "$program" check --extract "$work/extracted" - 2>"$work/err" && complain 'a pipe read twice' check --extract -
grep -qx 'warpcheck: standard input: not a regular file, but --extract has to read it twice' "$work/err" ||
    complain 'another reason' check --extract -
head -c 60 "$work/send.pcap.gz" >"$work/cut.pcap.gz"
expect 3 "warpcheck: $work/cut.pcap.gz: truncated after frame 0 \(octet 24 decompressed\): the compressed data is truncated" \
    check "$work/cut.pcap.gz"
# without its packets
head -c 24 "$capture" >"$work/silent.pcap"
expect 3 "warpcheck: $work/silent.pcap: no iWARP stream found in 0 frames" check "$work/silent.pcap"

# the summary of several tells what all of them lack
expect 3 "warpcheck: $work/empty.pcap: empty file" check "$root/captures/oddities/lost_send.pcap" "$capture" "$work/empty.pcap"
says '^not judged: 1024 octets not captured$'
says '^  because TCP octets are missing: the capture lost packets$'
says '^not read, or not to the end: 1 of 3 captures; see the errors on stderr$'
says '^2 iWARP streams, 3 FPDUs: 0 errors, 0 warnings, 0 notes: not fully judged; startup of 1 stream not finished$'
expect 3 "warpcheck: $work/empty.pcap: empty file" check --format jsonl "$capture" "$work/empty.pcap"
says '"errors":\["[^"]*/empty.pcap: empty file"\],.*"exit":3\}$'

# check: what counts
bad=$root/captures/oddities/badcrc.pcap
known='RFC5044-4.4-11 clause="RFC 5044 4.4" owner=bob'
printf '%s reason="firmware 3" side=initiator\n' "$known" >"$work/known"
printf '# nobody does that\n%s reason=none side=responder\n' "$known" >"$work/unused"
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

# what is beyond the limits of this program is not judged, and said
limit=$root/captures/hardship/limit.pcap
expect 2 '' check "$limit"
says '^    not judged: 12 segments, STags, requests, chunks and findings beyond a limit of this program$'
expect 2 '' check --format jsonl "$limit"
says '"type":"stream",.*"unjudged":\{[^}]*"limit":12[,}]'

# requests without a response: how many, which, since when, in every form
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
junit() { # what xmllint says against the schema
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
# a session over SCTP says so, and nothing of MPA and TCP
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

# check: rotated files; editcap names them as dumpcap does
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
expect 3 "warpcheck: $second: no iWARP stream found in 4 frames: 1 TCP connection that is not iWARP" check --chain none "$first" "$second"
cp "$first" a
cp "$second" b
expect 1 '' check --chain all b a
says '^    frame 1 of b: error RFC5044-4\.4-11 '
expect 3 'warpcheck check: --chain takes auto, all or none, not some' check --chain some "$bad"
# a part that is cut, or not there, is said, and the others are judged
head -c -3 a >part
expect 3 "warpcheck: part: truncated after frame 4 \(octet [0-9]+\)" check --chain all part b
says '^  stream 0: .*, frames 1 of part to 4 of b$'
says '^    not judged: 1 connection open where a file could not be read any further$'
says '^    not judged: 56 octets in which no FPDU could be found$' # the Reply was cut, and may have been a reject
# each of several has its line, and its part in the report
several() { # lines of stderr, in their order
    "$program" check --chain all --format "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 3 ] || complain 'not exit 3' check --chain all --format "$@"
    printf '%s\n' "warpcheck: part: truncated after frame 4 (octet $cut)" 'warpcheck: none: No such file or directory' \
        'warpcheck: text: not a capture file: neither pcap nor pcapng' | diff - "$work/err" >&2 || complain 'other lines' check --chain all "$@"
}
cp "$work/text.pcap" text
rm -f none
cut=$(sed -n 's/.*truncated after frame 4 (octet \([0-9]*\)).*/\1/p' "$work/err")
[ "${cut:-0}" -gt 300 ] || complain 'no offset of what is cut' check --chain all part b
several text none part b text
says '^not read, or not to the end: 1 of 1 captures; see the errors on stderr$'
says '^  stream 0: .*, frames 1 of part to 4 of b$'
several junit none part b text
says "message=\"part: truncated after frame 4 \\(octet $cut\\); none: No such file or directory; text: not a capture file: neither pcap nor pcapng\""
# parts that are compressed, or not yet
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
# what can be read but once is refused where it is needed twice, and no one waits for its writer
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
# nothing is overwritten; two captures of one name are told apart
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
# what is waived is no violation
expect 0 '' check --waive "$work/known" --extract "$work/waived" "$bad"
[ ! -e "$work/waived" ] || complain 'something was extracted' check --extract
# of a rotated capture, across its files
expect 1 '' check --chain all --extract "$work/across" "$work/ring/a" "$work/ring/b"
expect 1 '' check "$work/across/a-stream0.pcapng"
says 'frames 1 to 9$'
says '^    frame 6: error RFC5044-4\.4-11 '

# of a long connection only the beginning and what is around the finding
printf '%s\n' 'local c = connect{}' 'for i = 1, 1500 do c:send{data = "hello"} end' 'c:send{data = "hello", crc_flip = 1}' \
    'c:expect{{kind = "terminate"}}' 'c:expect{{kind = "close", how = any{"fin", "rst"}}}' >"$work/long.lua"
expect 0 '' synth --quiet "$work/long.lua" -o "$work/long.pcapng"
expect 1 '' check --extract "$work/extract" "$work/long.pcapng"
expect 1 '' check "$work/extract/long-stream0.pcapng"
says 'frames 1 to 52$' # the handshake and 29 others, 16 before the wrong FPDU, itself, and the three behind it
says '^    frame 49: error RFC5044-4\.4-11 '

# check: progress is for terminals only
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    [ $i -gt 1 ] || cp "$bad" "$work/long.pcap"
    tail -c +25 "$work/long.pcap" >"$work/more" && cat "$work/more" >>"$work/long.pcap"
done
script -qec "'$program' check '$work/long.pcap'" /dev/null >"$work/out" 2>&1
says "long.pcap: [0-9]+%, [0-9]+ frames"
expect 1 '' check "$work/long.pcap"

# list
expect 3 'warpcheck list: no topic given \(see warpcheck list --help\)' list
expect 3 'warpcheck list: unknown topic frobs \(see warpcheck list --help\)' list frobs
expect 3 'warpcheck list: --format takes text, jsonl or markdown, not json' list --format json errors
expect 3 'warpcheck list: more than one topic given' list fields errors
for topic in cases defects profiles requirements layouts opcodes errors fields; do
    expect 0 '' list $topic
    [ -s "$work/out" ] || complain "nothing printed" list $topic
done
expect 0 '' list opcodes --format jsonl
says '^\{"opcode":"0x03","name":"SEND",'

# run
expect 0 '' run --out "$work/run"
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, 0 not applicable, 0 error$'
[ "$(tail -n 1 "$work/run/results.jsonl" | cut -c 1-18)" = '{"type":"summary",' ] || complain 'no summary' run
for capture in "$work/run/rdma-read-001.pcapng" "$work/run/mpa-startup-001.pcapng"; do
    expect 0 '' check "$capture"
done
expect 1 '' run --defect crc-wrong --only '^mpa-crc-005$' --out "$work/defect"
says '^FAIL +mpa-crc-005 '
says '^ +expected  read_response '
says "^ +capture   $work/defect/mpa-crc-005.pcapng\$"
expect 1 '' check "$work/defect/mpa-crc-005.pcapng"
# without a capture there is no frame to name
expect 1 '' run --defect pad-nonzero --only '^mpa-initiator-002$' --no-out
says '^ +because   RFC5044-4.1-02: A PAD'
expect 1 '' run --defect crc-wrong --only '^MPA-CRC-005$' --no-out
says '^1 case: 0 pass, 1 fail, 0 inconclusive, 0 not applicable, 0 error$'
expect 0 '' run --defect close-reset --only '^rdma-terminate-008$' --no-out
says '  terminate\+rst \(wrong\)$'
says '^1 case: 0 pass, 0 fail, 1 warning, .* 0 error; 1 wrong close$'
expect 0 '' run --defect startup-patient --only '^mpa-startup-013$' --simulate --no-out
says '^WARNING   mpa-startup-013 .*'
says '^1 case: 0 pass, 0 fail, 1 warning, .*'
expect 1 '' run --defect startup-patient --only '^mpa-startup-013$' --simulate --strict --no-out
says '^FAIL      mpa-startup-013 .*'
expect 3 'warpcheck run: no case selected' run --only 'no such case' --no-out
# Combinations and seeds, what fails comes down to, and one by its id.
expect 0 '' run --simulate --no-out --strength 1 --random 5 --only '^sweep-001|^random'
expect 1 '' run --simulate --no-out --strength 2 --only '^sweep-003' --defect marker-fpduptr
grep -q '^  sweep-003.0010000000  *markers_out=true (' "$work/out" || complain 'not traced to Markers' run --strength 2
expect 0 '' run --simulate --no-out --combination sweep-003.0010000000
expect 0 '' run --simulate --no-out --combination random-001.4711-3
expect 3 'warpcheck run: --combination: sweep-003.9: 9 is not a combination of the case sweep-003' run --combination sweep-003.9
expect 3 'warpcheck run: --combination: there is no case no-such.1' run --combination no-such.1
expect 3 'warpcheck run: --strength takes a number from 1 to 6, not 7' run --strength 7
expect 3 'warpcheck run: unknown claim marker \(known: responder, .*rev-2, .*markers, .*flush-persist, .*\)' run --without marker --no-out
expect 3 'warpcheck run: --without-danger must be "memory" or "connection", not "fire"' run --without-danger fire --no-out
expect 0 '' run --without-danger memory --only '^rdma-write-00[34]$' --no-out
says '^n/a +1 case: left out for its danger: memory$'
expect 0 '' run --without markers --without rtr-read --only '^mpa-marker-001$' --no-out
says '1 not applicable'
expect 0 '' run --profile rev-1 --only '^mpa-enhanced-00|^mpa-startup-001$' --no-out
says '^10 cases: 1 pass, 0 fail, 0 inconclusive, 9 not applicable, 0 error$'
echo 'return {roles = {"responder"}}' >"$work/rnic.lua"
expect 0 '' run --profile "$work/rnic.lua" --only '^mpa-initiator-001$' --no-out
says '1 not applicable'
echo 'return {rolls = {"responder"}}' >"$work/rnic.lua"
expect 3 "warpcheck run: --profile: $work/rnic.lua: a profile has no 'rolls' \(did you mean 'roles'\?\)" run --profile "$work/rnic.lua"
expect 3 'warpcheck run: --profile: unknown profile rnic \(built in are base, .*' run --profile rnic
expect 3 "warpcheck run: --only: '\(', character 2: .*" run --only '(' --no-out
expect 3 'warpcheck run: unknown defect frobs .*' run --defect frobs
expect 3 'warpcheck run: --defect is for the embedded reference, .*' run --peer 127.0.0.1:1 --defect crc-wrong
expect 3 'warpcheck run: --peer takes HOST:PORT, not 127.0.0.1' run --peer 127.0.0.1
expect 3 'warpcheck: 127.0.0.1:1: connection refused' run --peer 127.0.0.1:1 --no-out
expect 3 'warpcheck: 127.0.0.1:1: connection refused' run --peer 127.0.0.1:1 --out "$work/nobody"
if [ -s "$work/out" ] || [ -e "$work/nobody/results.jsonl" ]; then
    complain 'there are results of a device that cannot be reached' run --peer 127.0.0.1:1
fi
expect 3 'warpcheck: /dev/null/x: .*' run --out /dev/null/x
expect 3 'warpcheck: /dev/null: Not a directory' run --out /dev/null
mkdir "$work/cases"
printf 'return {\n  id = \n' >"$work/cases/wrong.lua"
expect 3 "warpcheck: $work/cases/wrong.lua:[23]: .*" run --cases "$work/cases" --no-out

# serve
begin_serve() { # its process in $server, its port in $port
    mkfifo "$work/pipe"
    "$program" serve --listen 127.0.0.1:0 --quiet "$@" >"$work/pipe" 2>"$work/serve.err" &
    server=$!
    exec 3<"$work/pipe"
    read -r line <&3
    port=${line#listening on 127.0.0.1:}
    port=${port%%,*}
    read -r region <&3
    rm "$work/pipe"
}
region_stag() { echo "$region" | sed 's/.*STag \(0x[0-9a-f]*\),.*/\1/'; }
end_serve() {
    kill -"$1" "$server"
    wait "$server" || complain "exit code of serve after SIG$1: $(cat "$work/serve.err")" serve
    exec 3<&-
}
begin_serve --record "$work/served.pcapng"
echo "$region" | grep -qE '^region: STag 0x[0-9a-f]{8}, TO 0x[0-9a-f]+, [0-9]+ octets, verified by sha256$' || complain "said '$region'" serve
expect 3 'warpcheck check: --format, --decode and --fields exclude each other' check --decode -f jsonl x
expect 3 'warpcheck play: --live goes with --record FILE' play --live lo "$work/talk.lua"
expect 3 "warpcheck: 127.0.0.1:$port: port in use" serve --listen 127.0.0.1:"$port"
expect 0 '' run --peer 127.0.0.1:"$port" --only 'mpa-crc-001|rdma-write-003|rdma-write-001' --no-out
says '^3 cases: 2 pass, 0 fail, 0 inconclusive, 1 not applicable, 0 error$'
end_serve INT
expect 1 '' check "$work/served.pcapng"
says '^2 iWARP streams,'
begin_serve --defect terminate-swallowed
expect 1 '' run --peer 127.0.0.1:"$port" --only mpa-crc-001 --no-out
expect 1 '' differential --only mpa-crc-001 reference 127.0.0.1:"$port"
says '^          terminate 2/0/02, none$'
end_serve TERM
expect 3 'warpcheck serve: unknown defect frobs .*' serve --defect frobs
expect 3 'warpcheck serve: --echo and --rping exclude each other' serve --echo --rping
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
# The script is a client that wants its ping to go well: it is of use where the suite's server does what servers do.
expect 0 '' run --peer 127.0.0.1:"$port" --rping --initiator "'$program' play '$root/generator/examples/rping_client.lua' --peer {host}:{port}" \
    --only '^rping-server-|^rping-client-0(01|11|12|13|15|16|31)$' --jobs 4 --no-out
says '^36 cases: 36 pass, '
expect 2 '' run --peer 127.0.0.1:"$port" --rping --initiator 'echo {port} >&2; echo no card; exit 7' --only rping-client-001 --no-out
says 'because +the command of --initiator has ended: exit code 7: no card$'
expect 3 'warpcheck: the command of --before: exit code 7: no card' run --peer 127.0.0.1:"$port" --before 'echo no card; exit 7' --no-out
end_serve TERM
expect 3 'warpcheck run: --initiator takes a command that contains .host. and .port., .*' run --peer 127.0.0.1:1 --initiator rping
expect 3 'warpcheck run: --initiator goes with --peer' run --initiator 'rping {port}'
expect 3 'warpcheck run: --rping goes with --peer' run --rping
expect 3 'warpcheck run: --before goes with --peer' run --before true
expect 3 'warpcheck run: --sctp goes with --peer' run --sctp 127.0.0.1:7174
for where in 127.0.0.1 udp:7174 udp/0:127.0.0.1:7174 127.0.0.1:0; do
    expect 3 "warpcheck run: --sctp takes HOST:PORT, udp:HOST:PORT or udp/PORT:HOST:PORT, not $where" \
        run --peer 127.0.0.1:7174 --sctp $where
done
expect 3 'warpcheck run: --tier takes none, rping or agent, not all' run --tier all
expect 0 '' run --tier none --tier rping --simulate --only 'client-001|^mpa-startup-001|^rdma-write-001' --no-out
says '^2 cases: 2 pass,'

# a device that is told what to do: the whole suite against another process, with the verdicts of the embedded reference
verdicts() { sed -n 's/.*"case":"\([^"]*\)".*"verdict":"\([^"]*\)".*/\1 \2/p' "$1/results.jsonl"; }
printf 'open sesame\n' >"$work/token"
begin_serve --sctp udp/0:127.0.0.1:0 --agent 0 --token-file "$work/token"
read -r region <&3 # before it, where it takes associations
read -r agent <&3
agent=${agent#agent on 127.0.0.1:}
expect 0 '' run --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --jobs 4 --skip '^rping-' --out "$work/told"
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, 0 not applicable, 0 error$'
verdicts "$work/run" | grep -v '^rping-' >"$work/embedded.verdicts"
verdicts "$work/told" | cmp -s - "$work/embedded.verdicts" || complain 'other verdicts than of the embedded reference' run --agent
expect 0 '' run --peer 127.0.0.1:"$port" --agent 127.0.0.1:"$agent" --token-file "$work/token" --own-host 127.0.0.2 --only '^mpa-initiator-001$' --no-out
says '^1 case: 1 pass,'
expect 0 '' differential --random 10 --token-file "$work/token" reference 127.0.0.1:"$port","$agent"
says '^20 cases: 0 differ$'
expect 3 'warpcheck differential: a device is HOST:PORT, HOST:PORT,\[HOST:\]AGENTPORT or reference, not frobs' differential reference frobs
expect 3 'warpcheck differential: two devices are compared, not 1' differential reference
expect 3 "warpcheck: agent 127.0.0.1:$agent: wrong token" run --peer 127.0.0.1:"$port" --agent "$agent" --no-out
expect 3 'warpcheck: agent 127.0.0.1:1: connection refused' run --peer 127.0.0.1:"$port" --agent 1 --no-out
expect 0 '' probe --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --out "$work/found.lua"
grep -qx '  roles = {"responder", "initiator"},' "$work/found.lua" || complain 'no initiator found' probe
expect 0 '' run --peer 127.0.0.1:"$port" --agent "$agent" --token-file "$work/token" --profile "$work/found.lua" --only '^mpa-' --no-out
says '^[1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail, 0 inconclusive, [0-9]* not applicable, 0 error$'
expect 0 '' probe --peer 127.0.0.1:"$port"
says '^  roles = \{"responder"\},$'
says '^  flush = \{"persist", "expose"\},$'
expect 3 'warpcheck probe: --agent goes with --peer' probe --agent 1
expect 3 'warpcheck probe: --peer takes HOST:PORT, not here' probe --peer here
expect 3 'warpcheck: 127.0.0.1:1: connection refused' probe --peer 127.0.0.1:1
expect 3 'warpcheck: /dev/full: No space left on device' probe --out /dev/full
end_serve INT
begin_serve --agent 0 --defect terminate-swallowed
read -r agent <&3
expect 1 '' run --peer 127.0.0.1:"$port" --agent "${agent#agent on }" --only rdma-write-005 --no-out
end_serve INT
expect 3 'warpcheck run: --agent goes with --peer' run --agent 1
expect 3 'warpcheck run: --token-file goes with --agent' run --peer 127.0.0.1:1 --token-file "$work/token"
expect 3 'warpcheck run: --own-host goes with --agent' run --peer 127.0.0.1:1 --own-host 127.0.0.1
expect 3 'warpcheck run: --agent takes \[HOST:\]PORT, not here' run --peer 127.0.0.1:1 --agent here
expect 3 'warpcheck run: --token-file: /nowhere: No such file or directory' run --token-file /nowhere
expect 3 'warpcheck serve: --agent takes \[HOST:\]PORT, not here' serve --agent here
expect 3 'warpcheck serve: --agent at 0.0.0.0, which others can reach, needs --token-file' serve --agent 0.0.0.0:0
expect 3 'warpcheck serve: --token-file goes with --agent' serve --token-file "$work/token"
expect 3 "warpcheck serve: --token-file: $work/empty.pcap: its first line must be a token of 1 to 255 octets" serve --agent 0 --token-file "$work/empty.pcap"
# an initiator that is wrong, and a peer that has to bear it
begin_serve
expect 0 '' play --peer 127.0.0.1:"$port" --defect pad-nonzero --record "$work/wrong.pcapng" "$root/generator/examples/send.lua"
end_serve TERM
expect 1 '' check "$work/wrong.pcapng"
says 'error RFC5044-4\.1-02 .* initiator: '
# one that has nothing to change, in what is sent, executed or checked
for defect in marker-reserved fetchadd-more msn-unchecked; do
    expect 0 "warpcheck: the defect $defect has not come to act: there was nothing for it to change" play -q --defect $defect "$root/generator/examples/send_write_read.lua"
done
expect 3 'warpcheck play: unknown defect frobs .*' play --defect frobs "$root/generator/examples/send.lua"
expect 3 'warpcheck serve: --listen takes HOST:PORT, not 7174' serve --listen 7174
expect 3 "warpcheck: /nonexistent/x: No such file or directory" serve --listen 127.0.0.1:0 --record /nonexistent/x

# load
expect 0 '' load --count 500 --size 100,3K --connections 3
says '^3 of 3 connections to 127\.0\.0\.1:[0-9]+ in .*, depth 8, CRC on; ran for '
says '^write +350 '
says '^verified: [0-9]+ Writes read back, 100 Reads, 50 Sends echoed; 0 wrong$'
says '^errors: none$'
expect 0 '' load --json --count 100 --mix send --rev 1 --no-crc --markers --depth 20 --rate 1000
says '^\{"type":"load",.*"crc":false,.*"operations":\{"send":\{"count":100,"octets":409600,"verified":100,.*"p999_ns":.*"errors":\[\]\}$'
expect 0 '' load --count 300 --mix atomic,flush,write --size 10 --connections 2
says '^atomic +100 '
says '^flush +100 '
expect 0 '' load --count 300 --mix verify,atomic_write --size 10,5K --connections 2
says '^atomic_write +150 '
says '^verified: 150 hashes, [0-9]+ Atomic Writes read back; 0 wrong$'
expect 3 "warpcheck load: --mix: unknown operation 'frob': there are write, read, send, atomic, flush, verify and atomic_write" load --mix frob=1
expect 3 'warpcheck load: --size takes up to 16 sizes of 0 to 64M octets with commas between, not 4k' load --size 4k
expect 3 'warpcheck load: --depth takes a number from 1 to 4096, not 0' load --depth 0
expect 3 'warpcheck load: --duration takes a number of seconds, not x' load --duration x
expect 3 'warpcheck load: --region takes STAG,TO,OCTETS, not 1,2' load --region 1,2
expect 3 'warpcheck load: --region goes with --peer' load --region 1,2,3
expect 3 'warpcheck load: these Reads and Writes need a --region of 40960 octets' load --peer 127.0.0.1:1 --region 1,0,40959
expect 3 'warpcheck: not connected: 127.0.0.1:1: connection refused' load --peer 127.0.0.1:1 --mix send
begin_serve --echo --region 1000000 --record "$work/loaded.pcapng"
echo "$region" | grep -qE ', 1000000 octets, verified by sha256$' || complain "said '$region'" serve --region
expect 0 '' load --peer 127.0.0.1:"$port" --region "$(region_stag),0x10000,1000000" --count 100 --connections 2 --aligned
expect 1 '' load --peer 127.0.0.1:"$port" --region 0x101,0x10000,1000000 --count 100 --mix write
says '^ +1  Terminate from the peer: 1/1/00 Invalid STag$'
end_serve TERM
expect 0 '' check "$work/loaded.pcapng"
says '^3 iWARP streams,'
script -qec "'$program' load --duration 2" /dev/null >"$work/out" 2>&1
says '[0-9] s: [0-9]+ operations/s, [0-9.]+ MiB/s, 0 errors'
# what is open when it is interrupted is finished and reported
timeout --foreground --preserve-status -s INT 2 "$program" load --duration 100 >"$work/out" 2>"$work/err" </dev/null ||
    complain "exit code after SIGINT: $(cat "$work/err")" load
says '^errors: none$'
expect 3 'warpcheck serve: --region takes a number of octets, not 0' serve --region 0

# play and synth
printf 'local listener = listen{}\nstep "meet"\nspawn(function() listener:accept{} end)\n%s\n' \
    'local c = connect{port = listener.port} c:send{data = "hello"} c:close() c:expect{{kind = "close"}}' >"$work/talk.lua"
expect 3 'warpcheck: nosuch0: .*' play --live nosuch0 --record "$work/live.pcap" "$work/talk.lua"
printf 'connect{\n' >"$work/syntax.lua"
printf 'connect{mulpud = 3}\n' >"$work/name.lua"
printf '%s\n' 'fail("as asked")' >"$work/fail.lua"
printf 'step "part"\nlocal l = listen{}\nspawn(function() l:accept{} end)\nlocal c = connect{port = l.port}\nerror("oops")\n' \
    >"$work/part.lua"
expect 3 'warpcheck play: no script given \(see warpcheck play --help\)' play
expect 3 "warpcheck: $work/none.lua: No such file or directory" play "$work/none.lua"
expect 3 "warpcheck: $work/syntax.lua:2: .*" play "$work/syntax.lua"
expect 3 "warpcheck: $work/name.lua:1: connect has no 'mulpud' \(did you mean 'mulpdu'\?\).*" play "$work/name.lua"
expect 3 'warpcheck play: --arg takes NAME=VALUE, not x' play --arg x "$work/talk.lua"
printf 'connect{}\n' >"$work/connect.lua"
expect 3 "warpcheck: $work/connect.lua:1: 127.0.0.1:1: connection refused" play --peer 127.0.0.1:1 "$work/connect.lua"
expect 3 "warpcheck: $work/connect.lua:1: connect: no port, and no peer is given \(--peer HOST:PORT\)" play "$work/connect.lua"
# what was written by hand is not lost to a capture
expect 3 "warpcheck: $work/connect.lua: the capture would be written over the script" synth "$work/connect.lua" -o "$work/connect.lua"
expect 3 "warpcheck: $work/./connect.lua: the capture would be written over the script" \
    play --peer 127.0.0.1:1 "$work/connect.lua" --record "$work/./connect.lua"
expect 3 "warpcheck: $work/connect.lua: the capture would be written over the script" \
    synth "$work/talk.lua" --peer-script "$work/connect.lua" -o "$work/connect.lua"
[ "$(cat "$work/connect.lua")" = 'connect{}' ] || complain 'overwrote the script' synth
expect 3 "warpcheck synth: unknown option --peer \(did you mean --peer-script\?\)" synth --peer 192.0.2.7:1 "$work/connect.lua" -o "$work/x"
# a script that plays both sides: each packet has the step of who sends it
for way in synth play; do
    output=-o
    [ $way = synth ] || output=--record
    expect 0 '' $way "$root/generator/examples/send_write_read.lua" $output "$work/both.pcapng"
    port=$(tshark -r "$work/both.pcapng" -c 1 -T fields -e tcp.dstport 2>/dev/null)
    tshark -r "$work/both.pcapng" -Y "tcp.dstport == $port" -T fields -e frame.comment 2>/dev/null | uniq | paste -sd, >"$work/out"
    says '^startup,ask for a region,write and read,close$'
    tshark -r "$work/both.pcapng" -Y "tcp.srcport == $port && tcp.len > 20" -T fields -e frame.comment 2>/dev/null | sort -u >"$work/out"
    says '^responder: watch$'
done
# packets of the device have their step too, where they may be captured and the system keeps up
begin_serve
printf 'step "meet"\nlocal c = connect{} c:send{data = "hello"} c:close() c:expect{{kind = "close"}}\n' >"$work/meet.lua"
if "$program" play --quiet --peer 127.0.0.1:"$port" --live lo --record "$work/live.pcapng" "$work/meet.lua" >"$work/out" 2>&1; then
    expect 0 '' check "$work/live.pcapng"
    tshark -r "$work/live.pcapng" -Y 'tcp.len > 0' -T fields -e frame.comment 2>/dev/null | sort -u >"$work/out"
    [ "$(cat "$work/out")" = meet ] || complain "comments: $(cat "$work/out")" play --live
else
    grep -qE '^warpcheck: (lo: (no permission|.*not permitted)|the system dropped)' "$work/out" ||
        complain "said: $(cat "$work/out")" play --live
    echo "play --live is not tested: $(cat "$work/out")" >&2
fi
end_serve TERM
expect 3 'warpcheck play: --deadline takes a number of seconds, not 0' play --deadline 0 "$work/talk.lua"
expect 0 '' play --deadline 7.5 --timeout 2.5 "$work/talk.lua"
expect 0 '' play --record "$work/talk.pcapng" "$work/talk.lua"
expect 0 '' check "$work/talk.pcapng"
# an interrupted conversation is recorded and told as far as it went
printf '%s\n' 'local l = listen{}' 'spawn(function() l:accept{}:expect{{kind = "close"}, timeout = 1000} end)' \
    'local c = connect{port = l.port}' 'step "wait"' 'c:expect{{kind = "close"}, timeout = 1000}' >"$work/wait.lua"
timeout --foreground --preserve-status -s INT 2 "$program" play --record "$work/wait.pcapng" "$work/wait.lua" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || complain "exit code after SIGINT: $(cat "$work/err")" play
says 'wait.lua:5: interrupted \(step: wait\)$'
expect 0 '' check "$work/wait.pcapng"
# a message of which the agent tells the beginning is not judged by it
mkdir "$work/long"
cat >"$work/long/long.lua" <<'END'
local function case(number, octets)
  return {id = "long-00" .. number, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "agent", run = function(dut)
    dut:post{count = 1, size = 300000}
    local c = dut:connect{}
    c:send{data = ("x"):rep(octets)}
    check(#dut:received{}.data == octets)
  end}
end
return {case(1, 262144), case(2, 262145)}
END
expect 4 '' run --cases "$work/long" --no-out
says '^ERROR +long-002 '
says 'the agent reports 262144 octets of a message of 262145; it can report at most 262144'
says '^2 cases: 1 pass, 0 fail, 0 inconclusive, 0 not applicable, 1 error$'
mkdir "$work/slow"
cat >"$work/slow/slow.lua" <<'END'
local function case(number, run)
  return {id = "slow-00" .. number, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = run}
end
return {
  case(1, function(dut) dut:connect{}:close() end),
  case(2, function(dut) dut:connect{}:expect{{kind = "terminate"}, timeout = 25} end),
  case(3, function(dut) dut:connect{} end),
}
END
timeout --foreground --preserve-status -s INT 3 "$program" run --jobs 1 --cases "$work/slow" --out "$work/slow/out" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || complain "exit code after SIGINT: $(cat "$work/err")" run
says '^INCONCL +slow-002 '
says '^2 cases: 1 pass, 0 fail, 1 inconclusive, 0 not applicable, 0 error; interrupted: 1 not run$'
tail -n 1 "$work/slow/out/results.jsonl" | grep -q '"not_run":1,"exit":2}' || complain 'no word of what was not run' run
expect 0 '' check "$work/slow/out/slow-002.pcapng"
"$program" play "$work/fail.lua" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || complain 'a failure has another exit code than 1' play fail.lua
expect 3 'warpcheck synth: --hardship overlap is for TCP only, not for --sctp' synth --sctp --hardship loss=1%,overlap=1% "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --hardship wrap is for TCP only, not for --sctp' synth --sctp --hardship wrap "$work/talk.lua" -o "$work/three.pcapng"
expect 0 '' synth --sctp --hardship vlan=9,ipv6 "$work/talk.lua" -o "$work/sctp.pcapng"
says '> DDP Stream Session Initiate ssn=0 '
expect 0 '' check "$work/sctp.pcapng"
says '^    over SCTP: session 1 on DDP Stream 0, terminated$'
tshark -o 'sctp.checksum:CRC 32c' -r "$work/sctp.pcapng" -Y 'vlan.id == 9 && ipv6' -T fields -e sctp.checksum.status -e frame.comment 2>/dev/null | sort -u >"$work/out"
printf '1\tmeet\n' | cmp -s - "$work/out" || complain 'checksums or comments are wrong' synth --sctp
expect 0 '' synth --quiet --sctp --hardship reorder=30%,retransmit=30%,duplicate=30% --seed 2 "$root/captures/synth/extensions.lua" -o "$work/sctp.pcapng"
expect 0 '' check "$work/sctp.pcapng"
tshark -r "$work/sctp.pcapng" -Y sctp.data_tsn -T fields -e frame.comment >"$work/out" 2>/dev/null
for what in late 'sent again' duplicate; do
    says "\[$what\]\$"
done
# what was recorded before a mistake in the script is on disk
expect 3 "warpcheck: $work/part.lua:5: oops.*" play --record "$work/part.pcapng" "$work/part.lua"
expect 0 '' check --decode "$work/part.pcapng"
says 'responder: MPA Reply'
expect 0 '' synth --quiet "$work/talk.lua" -o "$work/one.pcapng"
expect 0 '' synth --quiet "$work/talk.lua" -o "$work/two.pcapng"
cmp -s "$work/one.pcapng" "$work/two.pcapng" || complain 'two files differ' synth
expect 0 '' check "$work/one.pcapng"
expect 3 'warpcheck synth: no -o FILE given' synth "$work/talk.lua"
expect 3 "warpcheck: $work/syntax.lua:2: .*" synth "$work/syntax.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --isn takes two numbers .*' synth --isn 1 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --seed takes a number from 1 on, not 0' synth --seed 0 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --hardship: loss takes a share of the packets such as 1%, not 1' synth --hardship wrap,loss=1 "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --hardship: unknown hardship lost \(there are loss, .*\)' synth --hardship lost=1% "$work/talk.lua" -o "$work/three.pcapng"
expect 3 'warpcheck synth: --hardship wrap chooses the sequence numbers itself: leave out --isn' synth --isn 1,2 --hardship wrap "$work/talk.lua" -o "$work/three.pcapng"
expect 0 '' synth --hardship segment=1,vlan=7,ipv6,wrap=10 --seed 3 "$work/talk.lua" -o "$work/hard.pcapng"
expect 0 '' check "$work/hard.pcapng"
says '^  stream 0: \[2001:db8::[0-9a-f:]+\]:[0-9]+ \(initiator\) and \[2001:db8::c000:202\]:'
[ "$(tshark -r "$work/hard.pcapng" -Y 'vlan.id == 7 && tcp.len == 1' 2>/dev/null | wc -l)" -gt 20 ] || complain 'no packets of one octet in the VLAN' synth --hardship
tshark -r "$work/hard.pcapng" -Y 'tcp.seq_raw == 0' -T fields -e frame.comment >"$work/out" 2>/dev/null
says '^meet$'

exit $failed
