#!/bin/sh
# warpcheck check --upper, warpcheck list upper. Usage: upper_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$here/../../captures" || exit 99

# counts RULE PATTERN NUMBER: so many lines of the latest output match
counts() {
    [ "$(grep -cE "$1" "$work/out")" -eq "$2" ] || complain "not $2 lines '$1'"
}

expect 3 'warpcheck check: --upper takes off, warn or judge, not yes' check --upper yes upper/other.pcap

# off by default
expect 0 '' check upper/other.pcap
! grep -q 'upper protocol\|UPPER-' "$work/out" || complain 'reads the upper protocol' check

# the real captures: what Linux breaks, and nothing else
expect 0 '' check --upper warn --format jsonl ulp/nfs41_rdma.pcap
counts '"rule":"RFC8797-4.1-01"' 21
counts '"type":"upper_finding"' 21
says '"upper":\{"protocol":"rpc","complete":true,"initiator":\{"messages":72,"calls":72,"replies":72,"buffers":30,"credits":64\}'
expect 0 '' check --upper warn --format jsonl ulp/iser.pcap
counts '"rule":"RFC7145-5.1.2-01"' 2
counts '"rule":"RFC7145-5.1-02"' 1
counts '"type":"upper_finding"' 3
expect 0 '' check --upper warn --format jsonl ulp/smb_direct.pcap
counts '"type":"upper_finding"' 1
says '"rule":"SMBD-PRIVATE-01",.*"severity":"warning"'
expect 0 '' check --upper judge --format jsonl ulp/nvme_rdma_p2p.pcap
counts '"type":"upper_finding"' 0
says '"unanswered":1,"first":\[\{"call":"NVMe Asynchronous Event Request, CID 0x001f","side":"initiator","frame":41,'
expect 0 '' check --upper judge siw/siw2siw_rping_crc.pcap
says '^    upper protocol: rping$'

# SMB2: an interim response ends neither the request nor its buffer; the latency is that of the final response
expect 0 '' check --upper warn --format jsonl upper/smb.pcap
says '"stream":0,.*"initiator":\{"messages":2,"calls":1,"replies":1,.*"unanswered":0,'
says '"stream":1,.*"calls":1,"replies":0,.*"unanswered":1,"first":\[\{"call":"SMB2 LOCK, MessageId 6","side":"initiator","frame":21,'
says '"stream":2,"transport":"tcp","frame":36,.*"rule":"UPPER-ACCESS-03",.*"about_frame":35'
says '"stream":3,.*"calls":1,"replies":0,.*"unanswered":0,'
counts '"type":"upper_finding"' 1
expect 0 '' explain --format jsonl upper/smb.pcap
says '"stream":0,.*"latency":\[\{"call":"SMB2 READ","answered":1,"p50_ns":5003000000,.*"slowest_request_frame":8,"slowest_response_frame":11\}\]'
says '"stream":1,.*"unanswered":1,"first":\[\{"frame":21,'
says '"stream":3,.*"upper":\{"calls":1,"replies":0,"latency":\[\],"unanswered":0,'

# warn keeps verdict and exit code, judge does not
expect 0 '' check --upper warn upper/other.pcap
says '^      frame 7: error UPPER-ACCESS-01 by the responder: '
says '^        requires: A Write or Read stays within a buffer'
says '^protocols above iWARP, without effect on the verdict: 5 errors, 1 warning, 0 notes$'
says ': 0 errors, 0 warnings, 0 notes: conforms$'
expect 1 '' check --upper judge upper/other.pcap
says ': 5 errors, 1 warning, 0 notes: violates$'
expect 0 '' check --upper judge ulp/smb_direct.pcap
expect 1 '' check --upper judge --max-level warning ulp/smb_direct.pcap
expect 1 '' check --upper judge --format jsonl ulp/nfs41_rdma.pcap
says '^\{"type":"summary",.*"findings":\{"error":21,.*"exit":1\}$'

# waivers: of one side and rule, or of several rules; lines without a finding are named, unless no rule is judged
printf 'UPPER-ACCESS-* clause=buffers reason=old owner=bob side=responder\nSMBD-PRIVATE-01 clause="MS-SMBD iWARP" reason=r side=responder\n' >"$work/known"
expect 0 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper judge --waive "$work/known" upper/other.pcap
says '^      frame 7: waived error UPPER-ACCESS-01 by the responder: '
says "^        waived: old \(bob, $work/known:1\)$"
says ': 0 errors, 1 warning, 0 notes, 5 waived: conforms$'
expect 1 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper judge --max-level warning --waive "$work/known" upper/other.pcap
expect 0 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper warn --waive "$work/known" upper/other.pcap
says '^protocols above iWARP, without effect on the verdict: 0 errors, 1 warning, 0 notes, 5 waived$'
says ': 0 errors, 0 warnings, 0 notes: conforms$'
expect 0 '' check --waive "$work/known" upper/other.pcap
expect 0 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper judge --explain --waive "$work/known" upper/other.pcap
says ': 0 errors, 1 warning, 0 notes, 5 waived: conforms$'
expect 0 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper judge --format jsonl --waive "$work/known" upper/other.pcap
counts '"type":"upper_finding",.*"waived":\{"line":1,"requirement":"UPPER-ACCESS-\*","clause":"buffers","reason":"old","owner":"bob"\}' 5
counts '"type":"upper_finding"' 6
says '"type":"stream",.*"upper":\{.*"findings":\{"error":0,"warning":0,"note":0\},"waived":1\}'
says '^\{"type":"waiver","line":1,.*"used":5\}$'
says '^\{"type":"summary",.*"findings":\{"error":0,"warning":1,"note":0\},"waived":5,.*"exit":0\}$'
expect 0 "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" check --upper judge --format html --waive "$work/known" upper/other.pcap
counts '<li class="finding waived" data-severity="waived" data-clause="UPPER-ACCESS-0[123]"' 5
counts "<p class=\"waiver\"><b>waived</b>: old \\(bob, $work/known:1\\)</p>" 5
"$program" check --upper judge --format junit --waive "$work/known" upper/other.pcap >"$work/out" 2>"$work/err"
counts '<skipped message="waived: old \(bob\)"/>' 5
! grep -q '<failure' "$work/out" || complain 'a waived finding fails' check --upper judge --format junit --waive
# the other side does not profit, nor does the same rule of another clause
printf 'UPPER-ACCESS-* clause=buffers reason=old side=initiator\n' >"$work/other"
expect 1 "warpcheck: $work/other:1: waived no finding: UPPER-ACCESS-\*" check --upper judge --waive "$work/other" upper/other.pcap
printf 'UPPER-ACCESS-01 clause="RFC 5040" reason=r\n' >"$work/wrong"
expect 3 "warpcheck: $work/wrong:1: the clause of UPPER-ACCESS-01 is buffers bounds, not RFC 5040" check --upper judge --waive "$work/wrong" upper/other.pcap
# live as well
"$program" watch -i - --upper judge --waive "$work/known" --format jsonl <upper/other.pcap >"$work/out" 2>"$work/err" || complain 'not 0' watch --waive
counts '"type":"upper_finding",.*"waived":' 5
says '^\{"type":"waiver","line":1,.*"used":5\}$'
grep -qx "warpcheck: $work/known:2: waived no finding: SMBD-PRIVATE-01" "$work/err" || complain "said: $(cat "$work/err")" watch --waive

# JUnit XML and the page
for mode in warn judge; do
    "$program" check --upper $mode --format junit upper/other.pcap upper/rpc.pcap >"$work/out"
    xmllint --noout --schema "$here/junit.xsd" "$work/out" 2>"$work/err" || complain "$(cat "$work/err")" check --upper $mode --format junit
    [ "$(xmllint --xpath 'sum(//testsuite/@failures)' "$work/out")" -eq "$(xmllint --xpath 'count(//failure)' "$work/out")" ] ||
        complain 'failures are not counted' check --upper $mode --format junit
    [ "$(xmllint --xpath 'sum(//testsuite/@tests)' "$work/out")" -eq "$(xmllint --xpath 'count(//testcase)' "$work/out")" ] ||
        complain 'test cases are not counted' check --upper $mode --format junit
    says '<property name="upper protocol" value="NVMe over RDMA"/>'
done
says '<failure type="IMPLIED" message="RDMA Write writes outside of the buffer'
expect 0 '' check --upper warn --format html upper/other.pcap
says '<section class="clause" id="UPPER-ACCESS-01"'
says '<p class="message">RDMA Write writes outside of the buffer with STag 0xec02e201, for NVMe Read in frame 6</p>'

# the catalogue
expect 0 '' list upper
says '^RFC8166-3.3.1-01 +MUST NOT rpc +partly A requester has no more calls .* \(not judged: a grant below an earlier one\)$'
says '^RFC8166-3.3.1-02 +MUST NOT rpc +judged A responder never grants 0 credits$'
says '^RFC8166-4.5.2-01 +MUST +rpc +listed '
expect 0 '' list upper --format jsonl
says '^\{"rule":"RFC7145-9.2-01","document":"RFC 7145","section":"9.2","level":"MUST","severity":"error","protocol":"iser","judged":"judged","gap":"","text":"'
exit $failed
