#!/bin/sh
# The program reads the files of its earlier versions. Usage: formats_test.sh WARPCHECK. A folder of testdata/formats has files as
# its version wrote or took them; they are never changed (docs/stability.md).
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
old=$here/testdata/formats/0.1.0
captures=$here/../../captures
cd "$work" || exit 99

# results: the counts are those of the summary that the earlier version wrote
gunzip -c "$old/results.jsonl.gz" >results.jsonl
grep -q '"type":"summary","cases":267,"pass":105,"fail":120,"warning":3,' results.jsonl || complain 'the sample was changed'
expect 1 '' report results.jsonl
says '^results.jsonl: 267 cases: 105 pass, 39 not applicable, 3 warning, 120 fail; 18 wrong closes$'
for format in html junit jsonl matrix tap rfc; do
    expect 1 '' report --format $format results.jsonl
    [ -s out ] || complain 'nothing printed' report --format $format
done
expect 0 '' report --compare results.jsonl again=results.jsonl
says ' 0 regressed, 0 new failure, .* 123 still failing, '
expect 1 '' report --triage results.jsonl

# expectations: the file is of a day after the run, and expects another fault of one case
expect 1 '' report --expect "$old/expected" results.jsonl
says ' 166 expected, 1 new, 0 regressed, .* 0 stale$'

# a policy
expect 1 '' report --policy "$old/policy.json" results.jsonl
says ': policy storage \(what our storage servers need\): not met; '

# shards of a check: merged, they are what that version found
expect 1 '' report --merge -o merged.jsonl "$old/shard-1.jsonl" "$old/shard-2.jsonl"
grep -q '"frame":6,.*"requirement":"RFC5044-4.4-11",' merged.jsonl || complain 'the finding of a shard is lost' report --merge
grep -q '"type":"summary","files":1,"streams":1,"fpdus":1,"unjudged":{},"findings":{"error":1,' merged.jsonl ||
    complain 'the counts of the shards are lost' report --merge

# doctor: what a reader of that version's objects reads is still there, if not the same checks
"$program" doctor --format jsonl >doctor.jsonl 2>err || [ $? -le 3 ] || complain "exit code $?" doctor
for kind in '"type":"check"' '"type":"summary"'; do
    grep -h "$kind" "$old/doctor.jsonl" | grep -oE '"[a-z]+":' | sort -u >members
    grep -h "$kind" doctor.jsonl | grep -oE '"[a-z]+":' | sort -u | comm -23 members - >lost
    [ -s members ] || complain 'the sample was changed'
    [ ! -s lost ] || complain "$kind has no $(tr '\n' ' ' <lost)" doctor
done

# waivers
expect 0 '' check --waive "$old/waivers" "$captures/oddities/badcrc.pcap"
says ' 1 waived: conforms$'

# a profile
expect 0 '' run --simulate --profile "$old/profile.lua" --only '^mpa-crc-00' --out profiled
says '^requirements: '
grep -q '"words":"siw of Linux, driven by rping of rdma-core and by warpcheck-agent","claims":\["responder","initiator",' profiled/results.jsonl || complain 'the results do not have the claims of the profile' run --profile

# a script
expect 0 '' synth --quiet "$old/script.lua" -o script.pcapng
expect 0 '' check script.pcapng

# a bundle: its parts are read. Whether it still proves something, only the version that made it can say.
tar -xzf "$old/bundle.tar.gz"
expect 1 '' report results.jsonl
"$program" verify-bundle "$old/bundle.tar.gz" >out 2>err
says 'made by warpcheck 0\.1\.0'
says '^  results     2 cases: 1 pass, 1 fail$'

# results of a matrix: the runs and the history of a cell go on
mkdir matrix
cp "$old/matrix.json" matrix/results.json
cat >peers.json <<END
{"peers": [{"name": "python", "responder": {"ready": "(x)", "commands": {"size-4k": "exit 7"}},
            "initiator": {"commands": {"size-4k": "exit 7 # {port}"}}}]}
END
expect 3 '' matrix --out matrix --scenario size-4k peers.json
says '^11 cells: 0 pass, 0 not supported, 0 not judged, 0 fail, 1 error, 1 run, 0 kept, 1 changed, 10 outdated; '
grep -q '<b>regressed</b>: <a href="#cell-6">python, python, size-4k</a>: error, before pass' matrix/index.html ||
    complain 'the verdict of the earlier version is lost' matrix
grep -q '<p class="aside">run 1: pass, run 4: error</p>' matrix/index.html || complain 'the history is lost' matrix

exit $failed
