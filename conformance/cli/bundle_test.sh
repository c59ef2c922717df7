#!/bin/sh
# warpcheck report --bundle and verify-bundle, with valid and with altered bundles. Usage: bundle_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export TMPDIR

expect 1 '' run --simulate --only '^mpa-(crc|fpdu)-' --defect crc-wrong --profile base --out run
expect 1 '' report --bundle whole.tar run
expect 1 '' report --bundle whole.tar.gz run
for form in tar.gz tar.zst zip; do
    expect 1 '' report --bundle whole.$form run
    touch -d '2001-02-03' run/*
    expect 1 '' report --bundle again.$form run
    cmp whole.$form again.$form || complain 'equal files give different bundles' report --bundle
done
od -An -tx1 -N4 whole.tar.zst | grep -qx ' 28 b5 2f fd' || complain 'not in the format of Zstandard' report --bundle
od -An -tx1 -N4 whole.zip | grep -qx ' 50 4b 03 04' || complain 'not in the format of ZIP' report --bundle
for bundle in whole.tar whole.tar.gz whole.tar.zst whole.zip; do
    expect 1 '' verify-bundle $bundle
    says "^$bundle: the embedded peer FAILS: [1-9][0-9]* of [1-9][0-9]* cases\$"
    says '^  results +[0-9]+ cases: [0-9]+ pass, [0-9]+ not applicable, [1-9][0-9]* fail'
    says '^  coverage +requirements: [0-9]+ of [0-9]+ tested'
    says '^  selected +[0-9]+ of [0-9]+ cases$'
    says '^  profile +base$'
    says '^  signature +unsigned$'
    says "^$bundle: made by warpcheck [0-9.]+, cases [0-9a-f]{64}\$"
    says "^$bundle: [1-9][0-9]* files, 0 faults\$"
done
tar tf whole.tar | head -n 4 | tr '\n' ' ' >"$work/out"
says '^MANIFEST suite.json profile.json results.jsonl $'
grep -q "$(sha256sum run/mpa-crc-001.pcapng | cut -d' ' -f1)  [0-9]*  mpa-crc-001.pcapng" whole.tar || complain 'the digest is not that of sha256sum' report --bundle
expect 3 'warpcheck report: --bundle packs one run: merge shards first' report --bundle x.tar run run
expect 3 'warpcheck: /dev/null/x.tar: .*' report --bundle /dev/null/x.tar run
ln -s /dev/full full.tar
expect 3 'warpcheck: full.tar: No space left on device' report --bundle full.tar run
[ -L full.tar ] || complain 'a device was removed' report --bundle
for name in x.7z x.json.gz x.tgz; do
    expect 3 "warpcheck report: --bundle takes a file named .tar, .tar.gz, .tar.zst or .zip, not $name" report --bundle $name run
done
cp -r run part
rm part/mpa-crc-001.log
expect 3 'warpcheck: mpa-crc-001: its log is missing' report --bundle x.tar part
[ ! -e x.tar ] || complain 'an incomplete bundle was left' report --bundle
echo '{"type":"case","case":"a","verdict":"pass","requirements":[]}' >part/results.jsonl
expect 3 'warpcheck: part/results.jsonl: does not name its suite \("run"\)' report --bundle x.tar part

# over SCTP, capture and log are equal, too: for the reference, and for a device that sends ordered chunks
expect 0 '' run --simulate --only '^sctp-' --out sctp
expect 0 '' report --bundle sctp.tar sctp
expect 0 '' verify-bundle sctp.tar
TMPDIR=/nonexistent "$program" verify-bundle sctp.tar >"$work/out" 2>&1
[ $? -eq 3 ] || complain "wrong exit code without a temporary folder" verify-bundle
says '^warpcheck: sctp.tar: cannot create a folder for its contents in /nonexistent: No such file or directory$'
expect 1 '' run --simulate --only '^sctp-' --defect sctp-ordered --out wrong
expect 1 '' report --bundle wrong.tar wrong
expect 1 '' verify-bundle wrong.tar
expect 1 '' check wrong/sctp-009.pcapng
says 'error RFC5043-10-01 '

# a repeat with an equal result has no capture; merged shards have their captures in the folders of the shards
expect 0 '' run --simulate --only '^mpa-crc-00' --repeat 2 --out repeats
expect 0 '' report --bundle repeats.tar repeats
expect 0 '' verify-bundle repeats.tar
for shard in 1 2; do
    expect 0 '' run --simulate --only '^mpa-crc-00' --shard $shard/2 --out all/$shard
done
expect 0 '' report --merge --out all/results.jsonl all/1 all/2
expect 0 '' report --bundle all.tar all
expect 0 '' verify-bundle all.tar
expect 0 '' report --bundle part.tar all/1
expect 2 '' verify-bundle part.tar
says '^part.tar: the embedded peer is NOT JUDGED: this is only a part of the run$'
says '^  selected +9 of [0-9]+ cases; this is part 1 of 2, with 5 of them$'

# what the verdict of a bundle takes into account: cases not tested, a run that was cut short, generated cases, flaky cases
expect 2 '' run --simulate --only '^mpa-crc-00' --without-danger connection --out danger
expect 2 '' report --bundle danger.tar danger
expect 2 '' verify-bundle danger.tar
says '^danger.tar: the embedded peer is NOT JUDGED: 0 inconclusive, [1-9] not tested, 0 in error, 0 not run$'
cp -r sctp short-sctp
sed -i '/"type":"\(summary\|violation\|requirement\|coverage\)"/d' short-sctp/results.jsonl
expect 2 '' report --bundle short.tar short-sctp
expect 2 '' verify-bundle short.tar
says '^short.tar: the embedded peer is NOT JUDGED: the run was cut short$'
expect 2 '' run --simulate --only '^rdma-atomic-001$' --without atomic --out without
expect 2 '' report --bundle without.tar without
expect 2 '' verify-bundle without.tar
says '^without.tar: the embedded peer is NOT JUDGED: nothing was tested, and 1 not applicable$'
expect 0 '' run --simulate --only '^mpa-crc-00' --without-danger connection --accept-untested --out accepted
expect 0 '' report --bundle accepted.tar accepted
expect 0 '' verify-bundle accepted.tar
says '^accepted.tar: the embedded peer conforms, as far as it was tested: [1-9] cases that apply were not; the run selected 9 of [0-9]+ cases$'
expect 0 '' verify-bundle repeats.tar
says '^repeats.tar: the embedded peer conforms, as far as it was tested: the run selected [0-9]+ of [0-9]+ cases$'

# what the device does not claim, and the last option, are seen however long the options are
expect 0 '' run --simulate --lab "$(printf '%01000d' 1)" --profile base --without markers --only '^mpa-crc-001$' --out long
expect 0 '' report --bundle long.tar long
expect 0 '' verify-bundle long.tar
says '^  options .* --only \^mpa-crc-001\$$'
says '^  claims  +responder initiator rev-1 rev-2 crc-reports rtr-send rtr-write rtr-read sctp$'
# --role denies a claim, as --without does
expect 0 '' run --simulate --role responder --without markers --only '^mpa-crc-001$' --out role
expect 0 '' report --bundle role.tar role
expect 0 '' verify-bundle role.tar
for repeat in 1 2; do
    expect 0 '' run --simulate --only '^mpa-crc-00' --until-failure --repeat $repeat --out until$repeat
    expect 0 '' report --bundle until.tar until$repeat
    expect 0 '' verify-bundle until.tar
done
expect 0 '' run --simulate --random 2 --seed 5 --out random
expect 0 '' report --bundle random.tar random
expect 0 '' verify-bundle random.tar
says '^random.tar: the embedded peer conforms, as far as it was tested: the run had only generated cases$'
# only mpa-crc-004 is about RFC5044-4.1-03, -4.4-08, -7.1.1-07 and -09: without its result they are not tested
cp -r danger killed
sed -i '/"type":"\(summary\|violation\|requirement\|coverage\)"/d; /"type":"case","case":"mpa-crc-004"/d' killed/results.jsonl
expect 2 '' report --bundle killed.tar killed
expect 2 '' verify-bundle killed.tar
says '^  coverage +requirements: [1-8] of 12 tested, [1-8] pass; cases: [1-8] of 9 that apply tested; 9 of [0-9]+ cases selected$'
expect 1 '' run --simulate --strength 1 --only '^sweep-001' --defect crc-wrong --out sweep
expect 1 '' report --bundle sweep.tar sweep
expect 1 '' verify-bundle sweep.tar

# the verdict by a policy: a run of few cases conforms, but does not show what the policy needs; integrity goes first
expect 0 '' verify-bundle all.tar
says '^all.tar: the embedded peer conforms, as far as it was tested: the run selected 9 of [0-9]+ cases$'
expect 2 '' verify-bundle --policy mandatory all.tar
says '^all.tar: policy mandatory .*: not shown; of [1-9][0-9]* requirements [1-9][0-9]* met, 0 failed, [1-9][0-9]* missing; '
says '^  missing   RFC5040-5.3-05 .*: the run has no result of its cases$'
expect 1 '' verify-bundle --policy mandatory whole.tar
says '^whole.tar: policy mandatory .*: not met; '
says '^  failed    RFC5044-4.4-11  .*; see mpa-crc-'
expect 0 '' run --simulate --profile base --out base
expect 0 '' report --bundle base.tar.gz base
expect 0 '' verify-bundle --policy mandatory base.tar.gz
says '^base.tar.gz: the embedded peer conforms$'
says '^base.tar.gz: policy mandatory .*: met; .* 0 failed, 0 missing; '
expect 3 'warpcheck: the policy has no level for one device' verify-bundle --policy interop base.tar.gz
expect 3 'warpcheck: unknown policy gold .*' verify-bundle --policy gold base.tar.gz
[ ! -s out ] || complain 'a verdict without a valid policy' verify-bundle --policy gold
mkfifo pipe.tar
expect 3 'warpcheck: pipe.tar: not a regular file' verify-bundle pipe.tar
expect 3 "warpcheck: all: is a folder: give the file that 'report --bundle' wrote" verify-bundle all

# cases of a folder: they are verified if it is given
mkdir own
cp "$here/../cases/common.lua" "$here/../cases/crc.lua" own
expect 0 '' run --simulate --cases own --only '^mpa-crc-00' --out cases
expect 0 '' report --bundle cases.tar cases
expect 2 '' verify-bundle cases.tar
says '^  not proved  list, titles and levels of the cases, claims and coverage: the cases are not those of warpcheck: give --cases$'
says '^cases.tar: the embedded peer is NOT JUDGED: the list of its cases could not be verified$'
expect 0 '' verify-bundle --cases own cases.tar
says '; the cases are those of --cases$'
expect 3 'warpcheck: cases.tar: results.jsonl: cannot be compared with the cases: .*' verify-bundle --cases none cases.tar

# a case of one's own in which MPA begins after octets of another protocol (RFC 5044 7.1.3)
mkdir streaming
cat >streaming/own.lua <<'LUA'
return { {
  id = "own-001", title = "MPA begins after a line of another protocol", requirements = {"RFC5044-7.1.1-07"},
  role = "responder", tier = "none",
  run = function(dut)
    local c = dut:tcp{streaming = true}
    c:octets("switch\n")
    c:expect{{kind = "octets", octets = "now\n"}}
    c:enter()
    c:request{}
    c:expect{{kind = "reply", r = false}}
    c:full()
    c:send{data = "by DDP"}
    c:expect{{kind = "send", data = "so it is"}}
    c:close()
    c:expect{{kind = "close", how = "fin"}}
  end,
} }
LUA
cat >device.lua <<'LUA'
local listener = listen{}
log(listener.port)
local c = listener:tcp{streaming = true}
c:expect{{kind = "octets", octets = "switch\n"}}
c:octets("now\n")
c:enter()
c:expect{{kind = "request"}}
c:reply{}
c:full()
c:expect{{kind = "send"}}
c:send{data = "so it is"}
c:expect{{kind = "close"}}
LUA
mkfifo device
"$program" play device.lua >device &
exec 3<device
read -r line <&3
cat <&3 >device.out &
expect 0 '' run --no-preflight --cases streaming --peer "127.0.0.1:${line##* }" --accept-untested --out streamed
exec 3<&-
wait
expect 0 '' report --bundle streamed.tar streamed
expect 0 '' verify-bundle --cases streaming streamed.tar
says '^  not proved  cases in which, by their logs, octets before MPA belong to the ULP: 1$'
expect 2 '' verify-bundle streamed.tar
# its log with another event is no less a fault
sed -i 's/Send ulpdu_length=26/Send ulpdu_length=27/' streamed/own-001.log
expect 0 '' report --bundle changed.tar streamed
expect 3 'warpcheck: changed.tar: own-001: only its .*' verify-bundle --cases streaming changed.tar

# texts of a bundle are untrusted: one printable line each
cp -r sctp hostile
sed -i '1s/"peer"/"device":"NIC\\u001b[31m\\nx.tar: the device conforms","peer"/' hostile/results.jsonl
expect 0 '' report --bundle hostile.tar hostile
expect 0 '' verify-bundle hostile.tar
says '^  device +NIC\?\[31m x.tar: the device conforms$'

# what the run says of the device, the test and the program
expect 0 '' run --simulate --device 'RNIC 9' --firmware 3.1 --serial 0815 --lab 'our lab' --only '^mpa-crc-001$' --out named
expect 0 '' report --bundle named.tar named
expect 0 '' verify-bundle named.tar
started=$(sed -n '1s/.*"started":"\([^"]*\)".*/\1/p' named/results.jsonl) ended=$(sed -n '$s/.*"ended":"\([^"]*\)".*/\1/p' named/results.jsonl)
build=$(sed -n '1s/.*"build":"\([^"]*\)".*/\1/p' named/results.jsonl)
for line in 'device      RNIC 9' 'firmware    3\.1' 'serial      0815' 'lab         our lab' "started     $started" "ended       $ended" \
    "host        $(uname -n)" "build       $build" "options     --simulate --device 'RNIC 9' .*"; do
    says "^  $line\$"
done
case $started$ended in
20[0-9][0-9]-*Z20[0-9][0-9]-*Z) ;;
*) complain "no times: '$started', '$ended'" run ;;
esac

# A verdict of a script is named as not proved: no capture shows what it waited for in vain.
expect 1 '' run --simulate --defect terminate-swallowed --only '^mpa-crc-001$' --out scripted
expect 1 '' report --bundle scripted.tar scripted
expect 1 '' verify-bundle scripted.tar
says '^  not proved  verdicts that rest on what the scripts of their cases saw: 1$'

mkdir whole
tar xf whole.tar -C whole
# faults 'PATTERN'...: the folder "bad", packed as a bundle, has exactly these faults, in any order
begin() { rm -rf bad && cp -r whole bad; }
pack() { (cd bad && tar cf ../bad.tar -- *); }
sign() { # makes the MANIFEST match the altered files
    (cd bad && rm MANIFEST && echo 'warpcheck-bundle 1' >../manifest &&
        for file in *; do echo "$(sha256sum "$file" | cut -d' ' -f1)  $(stat -c %s "$file")  $file"; done >>../manifest
        mv ../manifest MANIFEST)
}
faults() {
    pack
    "$program" verify-bundle bad.tar >"$work/out" 2>"$work/err"
    code=$?
    [ $code -eq 3 ] || complain "exit $code instead of 3" verify-bundle "$*"
    [ "$(wc -l <"$work/err")" -eq $# ] || complain "not $# faults: $(cat "$work/err")" verify-bundle
    for pattern in "$@"; do
        grep -qxE "warpcheck: bad.tar: $pattern" "$work/err" || complain "no fault $pattern in $(cat "$work/err")" verify-bundle
    done
}
begin && printf x >>bad/mpa-fpdu-001.log
faults 'mpa-fpdu-001.log: has [0-9]+ octets, not [0-9]+' 'mpa-fpdu-001.log: does not end with the verdict of mpa-fpdu-001 in the results'
begin && sed -i 's/^verdict: pass/verdict: pasS/' bad/mpa-fpdu-007.log
faults 'mpa-fpdu-007.log: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}' 'mpa-fpdu-007.log: says "pasS" of mpa-fpdu-007, the results "pass"'
begin && rm bad/mpa-fpdu-001.pcapng
faults 'mpa-fpdu-001.pcapng: is missing' 'mpa-fpdu-001: its capture is missing'
begin && echo more >bad/more.txt
faults 'more.txt: is not listed' 'more.txt: belongs to no case'
begin && sed -i '2s/^./g/' bad/MANIFEST
"$program" verify-bundle bad.tar >/dev/null 2>&1
pack
expect_faults=$("$program" verify-bundle bad.tar 2>&1 >/dev/null | grep -c 'MANIFEST: line 2 is not a digest, size and name')
[ "$expect_faults" -eq 1 ] || complain 'an invalid MANIFEST is not reported' verify-bundle
begin && rm bad/MANIFEST && pack
"$program" verify-bundle bad.tar 2>&1 >/dev/null | grep -qx 'warpcheck: bad.tar: MANIFEST: is missing' || complain 'a missing MANIFEST is not reported' verify-bundle
# an altered bundle with a matching MANIFEST is detected by its contents
begin && sed -i 's/"verdict":"fail"/"verdict":"pass"/' bad/results.jsonl && sign && pack
"$program" verify-bundle bad.tar >"$work/out" 2>&1
[ $? -eq 3 ] || complain 'altered verdicts are accepted' verify-bundle
says 'results.jsonl: its summary has pass [0-9]+, but there are [0-9]+$'
says 'results.jsonl: its summary has fail [0-9]+, but there are 0$'
says 'mpa-crc-005.log: says "fail" of mpa-crc-005, the results "pass"$'
begin && sed -i 's/"fail":[0-9]*/"fail":0/; s/"exit":1/"exit":0/' bad/results.jsonl && sign
faults 'results.jsonl: its summary has fail 0, but there are [0-9]+' 'results.jsonl: its summary has exit 0, but its cases give 1'
begin && head -c 1048576 /dev/zero | tr '\0' ' ' >>bad/profile.json && sign
faults 'profile.json: is not the "profile" of results.jsonl'
rm -rf bad && mkdir bad && tar xf repeats.tar -C bad && printf '[' >bad/profile.json && sign # a profile in the bundle of a run without one
faults 'profile.json: is not the "profile" of results.jsonl'
begin && echo '{"version":"9","catalogue":"00"}' >bad/suite.json && sign
faults 'suite.json: is not the "version" of results.jsonl' 'suite.json: is not the "catalogue" of results.jsonl'
begin && rm bad/profile.json && sign
faults 'profile.json: is not the "profile" of results.jsonl'
# captures are judged again
begin && grep -v '    ! error RFC5044-4.4-11 ' bad/mpa-crc-005.log >log && mv log bad/mpa-crc-005.log && sign
faults 'mpa-crc-005: only its (log|capture) has: .*'
begin && sed -i 's/"requirement":"RFC5044-4.4-11"/"requirement":"RFC5044-4.1-02"/' bad/results.jsonl && sign && pack
"$program" verify-bundle bad.tar >"$work/out" 2>&1
says ': mpa-crc-005: the results have RFC5044-4.1-02 in frame [0-9]+, the capture does not$'
begin && cp bad/mpa-crc-001.pcapng bad/mpa-fpdu-007.pcapng && sign
faults 'mpa-fpdu-007: only its (log|capture) has: .*' 'mpa-fpdu-007: its capture has no packet of this case' \
    'mpa-fpdu-007: its capture shows 1 violation of a MUST by the device, the results have 0' \
    'mpa-fpdu-007: is "pass", but its capture makes it "fail": .*'
begin && printf 'no capture' >bad/mpa-fpdu-007.pcapng && sign
faults 'mpa-fpdu-007: its capture cannot be read to its end'

# an archive that cannot be a bundle is rejected
refused() { # refused 'PATTERN': bad.tar is rejected with this message
    expect 3 "warpcheck: bad.tar: $1" verify-bundle bad.tar
}
begin && (cd bad && tar cf ../bad.tar --transform 's,^suite.json,../suite.json,' -P -- *) 2>/dev/null
refused '../suite.json: not a valid name in a bundle'
begin && (cd bad && tar cf ../bad.tar --transform 's,^suite.json,/etc/suite.json,' -P -- *) 2>/dev/null
refused '/etc/suite.json: not a valid name in a bundle'
begin && mkdir bad/folder && pack
refused 'folder/: not a valid name in a bundle'
begin && ln -s /etc/passwd bad/passwd && pack
refused 'passwd: not a regular file'
begin && ln bad/suite.json bad/twin.json && pack
refused '(suite|twin).json: not a regular file'
begin && mkfifo bad/pipe && pack
refused 'pipe: not a regular file'
begin && pack && (cd bad && tar rf ../bad.tar suite.json)
refused 'suite.json: is a duplicate'
begin && touch "bad/$(printf 'a\nb')" && pack
refused 'a\?b: not a valid name in a bundle'
begin && truncate -s 300M bad/huge.bin && pack
refused 'huge.bin: is too large'
head -c 100000 whole.tar >bad.tar
refused 'Truncated .*'
echo 'this is a text, not an archive' >bad.tar
refused "not a bundle of 'report --bundle': Unrecognized archive format"
: >bad.tar
expect 3 'warpcheck: none.tar: No such file or directory' verify-bundle none.tar
expect 3 'warpcheck verify-bundle: no bundle given .*' verify-bundle
[ -z "$(ls "$TMPDIR")" ] || complain 'a temporary file was left' verify-bundle

# ---- a signal removes the contents, too ----

# ended_by SIGNAL CODE: ends verify-bundle by the signal, with the exit code, while contents are in its folder.
ended_by() {
    tries=0
    while [ $tries -lt 50 ]; do
        tries=$((tries + 1))
        "$program" verify-bundle whole.tar >out 2>err &
        verifier=$!
        while [ -z "$(ls "$TMPDIR"/*/ 2>/dev/null)" ] && kill -0 $verifier 2>/dev/null; do :; done
        kill -s "$1" $verifier 2>/dev/null
        wait $verifier
        [ $? -ne "$2" ] || return 0
    done
    return 1
}
for signal in 'TERM 143' 'KILL 137'; do
    # shellcheck disable=SC2086 # two words
    ended_by $signal || complain "ends before $signal" verify-bundle
    tries=0
    while [ -n "$(ls "$TMPDIR")" ] && [ $tries -lt 200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    [ -z "$(ls "$TMPDIR")" ] || complain "a temporary folder was left by $signal" verify-bundle
done

exit $failed
