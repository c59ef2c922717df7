#!/bin/sh
# warpcheck report: evidence, formats, expectations and shards. Usage: report_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# evidence: each case has a log beside its capture, with the verdict
only='^mpa-(crc|marker|fpdu)-'
expect 0 '' run --simulate --only "$only" --out right
expect 1 '' run --simulate --only "$only" --defect crc-wrong --without markers --out wrong
for case in mpa-crc-001 mpa-fpdu-003; do
    grep -qx 'verdict: pass' right/$case.log || complain "no verdict in the log of $case" run
    [ -s right/$case.pcapng ] || complain "no capture of $case" run
done
grep -qx 'verdict: fail' wrong/mpa-crc-005.log || complain 'no failure in the log of mpa-crc-005' run
grep -q '    ! error RFC5044-4.4-11 .* responder: CRC is ' wrong/mpa-crc-005.log || complain 'no finding in the log' run
# the log has the same events and findings as 'check' finds in the capture
"$program" check --decode wrong/mpa-crc-005.pcapng | sed 's/^\([0-9]*\) \[[0-9]*\] /\1 /; s/^    //' | sort >decoded
sed -n 's/^[0-9]*  [0-9.]*  [0-9]*  [a-z]* \(.*\)  frame \([0-9]*\): /\2 \1: /p; s/^    ! /! /p' wrong/mpa-crc-005.log | sort >logged
cmp decoded logged || complain 'the log differs from the output of check' run
[ -s decoded ] || complain 'nothing to compare' check

# the RFCs section by section: without results; with a run, whose exit code it has; with texts, which here are made up
expect 0 '' report --format rfc -o rfc.html
requirement=' id="RFC5044-4.4-11" data-document="RFC 5044" data-level="MUST" data-states='
grep -q "$requirement\"wire\"" rfc.html || complain 'no requirement in the page' report --format rfc
expect 1 '' report --format rfc -o rfc.html wrong
grep -q "$requirement\"failed\"" rfc.html || complain 'no failed requirement in the page' report --format rfc
mkdir texts
printf '4.4.  CRC Calculation\n\n   A <line>.\n' >texts/rfc5044.txt
"$program" report --format rfc --rfc-text texts -o rfc.html 2>err || complain "exit $?" report --rfc-text texts
grep -q '<code>   A &lt;line&gt;.$' rfc.html || complain 'no text in the page' report --rfc-text texts
grep -qx 'warpcheck: texts/rfc5044.txt lacks the section 1, 1.1, 1.2, 2, .*' err || complain "said: $(cat err)" report --rfc-text texts
grep -qx 'warpcheck: texts/rfc5040.txt: No such file or directory' err || complain "said: $(cat err)" report --rfc-text texts
rm texts/rfc5044.txt
"$program" report --format rfc --rfc-text texts -o none.html 2>err
[ $? -eq 3 ] || complain 'no text at all is no error' report --rfc-text texts
[ ! -e none.html ] || complain 'a page without the texts asked for' report --rfc-text texts
expect 3 'warpcheck: nowhere: No such file or directory' report --format rfc --rfc-text nowhere -o none.html
expect 3 'warpcheck: err: Not a directory' report --format rfc --rfc-text err -o none.html
expect 3 'warpcheck report: --rfc-text goes with --format rfc' report --rfc-text texts right
expect 3 'warpcheck report: no results given .*' report --format html
for option in '--policy mandatory' '--bundle b.tar' '--expect rfc.html' '--write-expect x' '--merge'; do
    # shellcheck disable=SC2086 # two words
    expect 3 'warpcheck report: no results given .*' report --format rfc $option
done

# report
expect 0 '' report right
says '^right: [0-9]+ cases: [0-9]+ pass, 0 fail$'
expect 1 '' report wrong/results.jsonl
says '^  fail mpa-crc-005: '
says '^    wire log  wrong/mpa-crc-005.log$'
says '^  not applicable: [0-9]+ cases: needs what the device does not claim: markers$'
expect 1 '' report --format matrix right 'fw 4=wrong'
says '^mpa-crc-005 +pass +FAIL +'
says '^mpa-marker-001 +pass +n/a +'
expect 1 '' report --format jsonl wrong
cmp "$work/out" wrong/results.jsonl || complain 'JSON Lines are not those of the run' report --format jsonl
expect 1 '' report --format junit --out report.xml right wrong
xmllint --noout --schema "$here/junit.xsd" report.xml 2>"$work/err" || complain "$(cat "$work/err")" report --format junit
[ "$(xmllint --xpath 'sum(//testsuite/@failures)' report.xml)" -eq "$(xmllint --xpath 'count(//failure)' report.xml)" ] ||
    complain 'failures are not counted' report --format junit
[ "$(xmllint --xpath 'sum(//testsuite/@skipped)' report.xml)" -eq "$(xmllint --xpath 'count(//skipped)' report.xml)" ] ||
    complain 'skips are not counted' report --format junit
[ "$(xmllint --xpath 'sum(//testsuite/@tests)' report.xml)" -eq "$(xmllint --xpath 'count(//testcase)' report.xml)" ] ||
    complain 'test cases are not counted' report --format junit
expect 1 '' report --format html --out report.html A/B=right A/C=wrong
grep -q '^<h2 id="pairs-title">Pairs' report.html || complain 'no table of pairs' report --format html
expect 3 'warpcheck report: no results given .*' report
mkdir empty
expect 3 'warpcheck: none: No such file or directory' report none
expect 3 "warpcheck: empty/results.jsonl: No such file or directory: give the folder that 'run --out' named" report empty
expect 3 'warpcheck report: --format takes text, jsonl, junit, html, matrix, tap or rfc, not xml' report --format xml right
expect 3 'warpcheck report: two runs are named right: give one of them a different name, NAME=right/results.jsonl' report right right
expect 3 'warpcheck: /dev/null/x: Not a directory' report --out /dev/null/x right
expect 3 'warpcheck: /dev/full: No space left on device' report --out /dev/full right
# a full disk keeps the previous report, expectations and bundle
for option in '--format html --out' --write-expect --bundle; do
    echo previous >kept.tar
    # shellcheck disable=SC2086 # two words
    (ulimit -f 1 && exec "$program" report $option kept.tar wrong) >"$work/out" 2>"$work/err"
    [ $? -eq 3 ] || complain 'a full disk looked like success' report "$option"
    grep -qx 'warpcheck: kept.tar: File too large' "$work/err" || complain "said: $(cat "$work/err")" report "$option"
    [ "$(cat kept.tar)" = previous ] || complain 'the previous file is gone' report "$option"
    [ ! -e kept.tar.part ] || complain 'an incomplete file was left' report "$option"
done
echo nonsense >results.jsonl
expect 3 'warpcheck: results.jsonl:1: not JSON: .*' report results.jsonl

# where and when a run was made, and of what, is in its results and reports
expect 0 '' run --only '^mpa-crc-001$' --simulate --device 'RNIC 9' --firmware 3.1 --serial 0815 --lab 'our lab' --out named
head -n 1 named/results.jsonl | grep -qE '^\{"type":"run","version":"[^"]*",("build":"[0-9a-f]*",)?"device":"RNIC 9","firmware":"3.1","serial":"0815","lab":"our lab","started":"20[0-9-]*T[0-9:]*Z","host":"[^"]*","kernel":"[^"]* [^"]* [^"]*",' ||
    complain 'the first line lacks the origin' run --device
tail -n 1 named/results.jsonl | grep -qE ',"ended":"20[0-9-]*T[0-9:]*Z","exit":0\}$' || complain 'the summary lacks the end' run
expect 0 '' report --format junit named
says "<testsuite .* timestamp=\"$(date -u +%Y)-[0-9-]*T[0-9:]*\" hostname=\"$(uname -n)\" "
says '<property name="device" value="RNIC 9"/>'
says "<property name=\"ended\" value=\"20[0-9-]*T[0-9:]*Z\"/>"
says '<property name="options" value="--only \^mpa-crc-001\$ --simulate --device .*RNIC 9.* --firmware 3.1 --serial 0815 --lab .*our lab.*"/>'
expect 0 '' report --format html named
for fact in 'device.*RNIC 9' 'started.*20[0-9-]*T[0-9:]*Z' 'ended.*20[0-9-]*T[0-9:]*Z' "host.*$(uname -n)" 'kernel.*Linux .*' 'options.*--only .*'; do
    says "<div><dt>${fact%%.*}</dt><dd class=\"path\">${fact#*.\*}</dd></div>"
done
for format in text tap matrix; do
    expect 0 '' report --format $format named
    for fact in 'device +RNIC 9' 'firmware +3\.1' 'serial +0815' 'lab +our lab' 'version +[0-9.]+' 'started +20[0-9-]*T[0-9:]*Z' \
        'ended +20[0-9-]*T[0-9:]*Z' "host +$(uname -n)" 'kernel +Linux ' "options +--only \^mpa-crc-001\\$ --simulate --device 'RNIC 9' "; do
        says "$fact"
    done
done
# the build is that of the linker
if command -v readelf >/dev/null; then
    build=$(readelf -n "$program" | sed -n 's/^ *Build ID: //p')
    head -n 1 named/results.jsonl | grep -q "^{\"type\":\"run\",\"version\":\"[^\"]*\",\"build\":\"$build\"," || complain "the build is not $build" run
    expect 0 '' report named
    says "^  build       $build\$"
fi

# expectations: written, then met, then stale
expect 1 '' report --write-expect known wrong
says '^  fail mpa-crc-005: '
grep -q '^RFC5044-4.4-11 clause="RFC 5044 4.4" reason="CRC is .* cases, first mpa-' known || complain 'no line for the requirement' report --write-expect
# the Terminate of the suite shows that the checks of mpa-crc-005 failed because of the CRC; mpa-fpdu-003 sends none
grep -q '"case":"mpa-crc-005",.*"script":"crc.lua",.*"follows":1,' wrong/results.jsonl || complain 'mpa-crc-005 follows from nothing' run
grep -q '"case":"mpa-fpdu-003",.*"script":"framing.lua",' wrong/results.jsonl || complain 'the checks of mpa-fpdu-003 passed' run
grep -q '^mpa-fpdu-003 verdict=fail .* reason="expected close .*; actual silence"$' known || complain 'no line for the case' report --write-expect
[ "$(grep -c '"verdict":"fail"' wrong/results.jsonl)" -gt 50 ] || complain 'too few failures' run --defect crc-wrong
[ "$(wc -l <known)" -lt 10 ] || complain "many lines for one root: $(cat known)" report --write-expect
expect 0 '' report --expect known wrong
says '^known: [1-9][0-9]* expected, 0 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'
says '^  fail mpa-crc-005: .* \[expected\]$'
says '^  fail mpa-fpdu-003: .* \[expected\]$'
expect 0 '' report --expect known --format jsonl wrong
says '"case":"mpa-crc-005",.*"state":"expected","reason":"CRC is '
says '"case":"mpa-marker-002",.*"verdict":"not applicable",.*"state":"not applicable"'
expect 0 '' report --expect known --format junit wrong
says '<testsuite .* failures="0" errors="0" '
says '<skipped message="fail as expected: CRC is '

# the same violation hides no other failure: without the link to it, and with a second violation
sed 's/\(.*"case":"mpa-crc-005",.*\)"follows":1,/\1/' wrong/results.jsonl >unrelated.jsonl
expect 1 '' report --expect known unrelated.jsonl
says '^  fail mpa-crc-005: .* \[new\]$'
says ', 1 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'
sed '/"type":"finding",.*"case":"mpa-crc-005",/{p;s/"number":1/"number":2/;s/RFC5044-4.4-11/RFC5040-4.8-07/;}' wrong/results.jsonl >second.jsonl
expect 1 '' report --expect known second.jsonl
says '^  fail mpa-crc-005: .* \[new\]$'
says ', 1 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'

# a different fault of the same case is new
sed 's/^\(mpa-fpdu-003 .*\) close="open"/\1 close="rst"/' known >other
expect 1 '' report --expect other wrong
says '^  fail mpa-fpdu-003: .* \[new\]$'
says '^    differs   close open, expected rst$'
expect 1 '' report --expect other --format jsonl wrong
says '"case":"mpa-fpdu-003",.*"state":"new",.*"differs":"close open, expected rst"'
expect 0 '' report --expect known right
says '^known: 0 expected, 0 new, 0 regressed, 0 better, [1-9][0-9]* fixed, 0 not tested, 1 stale$'
says '^  known:[0-9]+: stale: no finding about RFC5044-4.4-11$'
sed -i '/^mpa-fpdu-003 /d' known
echo 'mpa-crc-999 verdict=fail clause="RFC 5044" reason=gone' >>known
expect 1 '' report --expect known wrong
says '^  fail mpa-fpdu-003: .* \[new\]$'
says ', 1 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 1 stale$'
says '^  known:[0-9]+: stale: the results have no such case about RFC 5044$'
expect 3 'warpcheck: none: No such file or directory' report --expect none right

# the line about the requirement is a waiver of 'check', too; after its last day it does not apply
expect 0 '' check --waive known wrong/mpa-crc-001.pcapng
sed 's/^RFC5044.*/& until=2001-01-01/' known >expired
expect 1 '' report --expect expired wrong
says '^  expired:[0-9]+: expired on 2001-01-01: RFC5044-4.4-11$'
expect 1 'warpcheck: expired:[0-9]+: expired on 2001-01-01: RFC5044-4.4-11' check --waive expired wrong/mpa-crc-001.pcapng
says 'error RFC5044-4.4-11 .* responder: CRC is '
says '1 error, 0 warnings, 0 notes: violates$'
echo 'mpa-crc-001 clause="RFC 5044" reason=r' >wrong.known
expect 3 'warpcheck: wrong.known:1: no verdict given' report --expect wrong.known wrong

# the same at the end of a run
expect 1 '' run --simulate --only '^mpa-crc-005$' --defect crc-wrong --write-expect known.run --force --out once
expect 0 '' run --simulate --only '^mpa-crc-005$' --defect crc-wrong --expect known.run --force --out once
says '^known.run: 1 expected, 0 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'
expect 0 '' run --simulate --only '^mpa-crc-005$' --expect known.run --force --out once
says '^  known.run:2: stale: no finding about RFC5044-4.4-11$'
expect 1 '' run --simulate --only '^mpa-fpdu-003$' --defect crc-wrong --write-expect known.run --force --out once
expect 1 '' run --simulate --only '^mpa-fpdu-00[34]$' --defect crc-wrong --expect known.run --force --out once
says '^new        fail mpa-fpdu-004$'
expect 0 '' run --simulate --only '^mpa-fpdu-003$' --expect known.run --force --out once
says '^fixed      pass mpa-fpdu-003$'
expect 0 '' run --simulate --only '^mpa-crc-004$' --expect known.run --force --out once
says '^  known.run:2: stale: the results have no such case about RFC 5044 5.2$'

# a line by hand about a requirement: expects what the monitor finds about it, whatever case shows it
echo 'RFC5044-4.4-1[0-9] clause="RFC 5044 4.4" side=responder reason="our CRC" until=9999-12-31 owner=bob' >hand.run
expect 0 '' run --simulate --only '^mpa-crc-00[1-6]$' --defect crc-wrong --expect hand.run --force --out once
says '^hand.run: [1-9] expected, 0 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'
expect 1 '' run --simulate --only '^mpa-crc-005$|^mpa-fpdu-003$' --defect crc-wrong --expect hand.run --force --out once
says '^new        fail mpa-fpdu-003$'
says '^hand.run: 1 expected, 1 new, '
sed -i 's/9999-12-31/2001-01-01/' hand.run
expect 1 '' run --simulate --only '^mpa-crc-005$' --defect crc-wrong --expect hand.run --force --out once
says '^new        fail mpa-crc-005$'
says '^  hand.run:1: expired on 2001-01-01: RFC5044-4.4-1\[0-9\]$'

# what does not apply or was not tested needs no line, is not new, and keeps the line that it has
expect 0 '' run --simulate --only '^mpa-marker-002$|^rdma-atomic-memory-001$|^mpa-crc-001$' --without markers --without-danger memory --accept-untested --write-expect left.run --force --out once
grep -q '"not_tested":[1-9][0-9]*,"not_applicable":1,' once/results.jsonl || complain 'nothing was left out' run
[ "$(grep -vc '^#' left.run)" -eq 0 ] || complain "lines: $(cat left.run)" run --write-expect
expect 0 '' run --simulate --only '^mpa-marker-002$|^mpa-crc-001$' --without markers --expect left.run --force --out once
says '^left.run: 0 expected, 0 new, 0 regressed, 0 better, 0 fixed, 0 not tested, 0 stale$'
grep -q '^new ' out && complain 'what does not apply is new' run --expect
echo 'mpa-marker-002 verdict=not_applicable clause="RFC 5044" reason="no markers"' >left.run
expect 0 '' run --simulate --only '^mpa-marker-002$|^mpa-crc-001$' --without markers --expect left.run --write-expect again.run --force --out once
says '^left.run: 1 expected, 0 new, '
grep -q '^mpa-marker-002 verdict=not_applicable .* reason="no markers"$' again.run || complain 'the line is lost' run --write-expect
expect 3 'warpcheck run: --expect needs results: omit --no-out' run --no-out --expect known.run

# policies
expect 0 '' run --simulate --profile base --out graded
expect 0 '' report --policy mandatory graded
says '^graded: policy mandatory [^:]*: met; of [1-9][0-9]* requirements [1-9][0-9]* met, 0 failed, 0 missing; '
says '^  not claimed, so not tested: .*atomic'
expect 0 '' report --policy full --format jsonl graded
says '"type":"policy","policy":"full",.*"met":true,"verdict":"met","requirements":[1-9][0-9]*,"failed":\[\],"missing":\[\]'
expect 0 '' report --policy full --format html --out graded.html graded
grep -q 'policy full' graded.html || complain 'the page lacks the policy' report --policy
expect 0 '' run --simulate --profile base --only '^mpa-crc-' --out partly
expect 2 '' report --policy mandatory partly
says '^partly: policy mandatory .*: not shown; '
says '^  missing   RFC5040-5.3-05 .*: the run has no result of its cases$'
expect 1 '' run --simulate --profile base --only '^mpa-crc-' --defect crc-wrong --out broken
expect 1 '' report --policy mandatory broken
says '^  failed    RFC5044-4.4-11  .*; see mpa-crc-'
expect 0 '' report --policy interop a/b=partly b/c=partly c/a=partly a/d=partly b/d=partly c/d=partly
says '^a: policy interop: met; conforms with 3 of 3 partners, demanded: 2 of 3$'
expect 2 '' report --policy interop --format jsonl a/b=partly a/c=partly
says '^{"type":"interop","policy":"interop","device":"a","met":false,"verdict":"not shown","of":3,"pass":2,"conforming":2,"partners":\[{"partner":"b","runs":1,"verdict":"conforms","failed":\[\],"missing":\[\]},'
expect 1 '' report --policy interop a/b=broken a/c=broken a/d=partly
says '^a: policy interop: not met; conforms with 1 of 3 partners, demanded: 2 of 3$'
says '^  with b: fails in 1 run$'
says '^    failed    RFC5044-4.4-11, '
expect 3 '' report --policy interop --format jsonl partly
says '"type":"interop",.*"met":false,.*"partners":\[\],"message":"no run is named A/B, '
expect 3 'warpcheck: unknown policy gold .*' report --policy gold graded
echo '{"policy": "x", "title": "y", "level": "must"}' >wrong.json
expect 3 'warpcheck: wrong.json: level takes "MUST", "SHOULD" or "MAY"' report --policy wrong.json graded
expect 3 'warpcheck report: --policy takes no --expect: .*' report --policy full --expect known.txt graded

# the name of a file that belongs to another form
"$program" report -o text.html partly 2>"$work/err" || complain 'a warning is no error' report -o
grep -qx 'warpcheck report: text.html is written in another form than its name says: --format html?' "$work/err" || complain 'no warning of the name' report -o

# the matrix has only the rows that differ
expect 1 '' report --format matrix partly broken
says '^mpa-crc-005  .*  pass  .*FAIL  '
says '^[1-9][0-9]* cases? with the same verdict in every run: not listed$'
grep -qE "^mpa-crc-[0-9]* *pass *pass " "$work/out" && complain "a row without a difference is listed" report --format matrix

# two runs, and the roots of failures
expect 1 '' report --compare partly broken
says '^regressed          mpa-crc-005             pass -> fail: .*; '
says '^partly -> broken: [1-9][0-9]* regressed, 0 new failure, 0 no longer tested, 0 flaky, 0 fails differently, 0 still failing, 0 fixed,'
expect 0 '' report --compare broken partly
says '^fixed              mpa-crc-005             fail -> pass: '
expect 2 '' report --compare graded partly
says '^no longer tested   [1-9][0-9]* cases, the first [a-z0-9-]*: no result in this run$'
expect 1 '' report --compare --format jsonl partly broken
says '^{"type":"change","case":"mpa-crc-005",.*"change":"regressed","before":"pass","after":"fail"'
says '^{"type":"comparison","before":"partly","after":"broken","regressed":[1-9]'
expect 1 '' report --compare --format html --out change.html partly broken
grep -q 'From partly to broken: [1-9][0-9]* regressed' change.html || complain 'the page lacks the comparison' report --compare
grep -q '<svg class="diagram"' change.html || complain 'the page lacks diagrams' report --format html
grep -q 'Why cases did not pass' change.html || complain 'the page lacks the roots' report --compare
expect 3 'warpcheck report: --compare takes two runs, the older first' report --compare partly
expect 3 'warpcheck report: --compare takes --format text, jsonl or html' report --compare --format junit partly broken
expect 1 '' report --triage broken
says '^broken: [1-9][0-9]* cases did not pass, for [1-9][0-9]* reasons?'
says '^ *[1-9][0-9]* cases  violate RFC5044-4.4-11 '
says '^ *mpa-crc-[0-9]*, broken/mpa-crc-[0-9]*.pcapng, frame [1-9]'
expect 0 '' report --triage partly
says '^partly: 0 cases did not pass, for 0 reasons$'

# the results of a check are no run without cases
expect 1 '' check --format jsonl "$here/../../captures/oddities/badcrc.pcap"
cp out check.jsonl
expect 3 "warpcheck: check.jsonl: not the results of a run, but of 'check'" report check.jsonl

# --write-expect to a folder that does not exist: before the first case
expect 3 'warpcheck: none/known: No such file or directory' run --simulate --only '^mpa-crc-001$' --write-expect none/known --out unmade
[ ! -e unmade ] || complain 'cases were run' run --write-expect none/known

# shards
expect 3 'warpcheck report: --merge needs --out FILE' report --merge right
expect 3 'warpcheck report: --merge takes no --format: .*' report --merge --format junit --out whole right
mkfifo pipe
expect 3 'warpcheck: pipe: not a regular file' report --merge --out whole pipe right
sed 1d right/results.jsonl >headless
expect 3 'warpcheck: headless: not the results of a shard' report --merge --out whole headless
for shard in 1 2 3; do
    expect 1 '' run --simulate --only "$only" --defect crc-wrong --without markers --shard $shard/3 --out all/$shard
done
expect 1 '' report --merge --out all/results.jsonl all/3 all/1 all/2
# the report of the merged run equals that of a single run, except paths, ports, times and options
same_in_shards() { # FOLDER
    sed -E "/^  (started|ended|options) /d; s/^$1:( |\$)//; s, $1/([123]/)?, ,; s/127.0.0.1:[0-9]*//" "$work/out"
}
expect 1 '' report all
same_in_shards all >merged
expect 1 '' report wrong
same_in_shards wrong | diff - merged || complain 'merged shards differ from a single run' report --merge
expect 3 'warpcheck: whole: shard 2 of 3 is missing' report --merge --out whole all/1 all/3
expect 3 'warpcheck: all/1/results.jsonl: shard 1 of 3 is a duplicate' report --merge --out whole all/1 all/2 all/1
expect 3 'warpcheck: right/results.jsonl: "shards" differs from that of all/1/results.jsonl: shards of different runs' report --merge --out whole all/1 right
expect 3 'warpcheck: all/results.jsonl: File exists' report --merge --out all/results.jsonl all/1 all/2 all/3

exit $failed
