#!/bin/sh
# run_test.sh PROGRAM: `warpcheck run` as a runner: parts, repeats, and runs that are gone on with.
here=$(dirname "$0")
. "$here/expect.sh"
cd "$work" || exit 99

# The cases that a results.jsonl has, one line each: id, repeat, verdict.
cases() { sed -n 's/^{"type":"case","case":"\([^"]*\)".*\("repeat":[0-9]*\).*"verdict":"\([^"]*\)".*/\1 \2 \3/p' "$1/results.jsonl"; }
verdicts() { sed -n 's/^{"type":"case","case":"\([^"]*\)".*"verdict":"\([^"]*\)".*/\1 \2/p' "$1/results.jsonl"; }

# --list
expect 3 'warpcheck run: no case selected' run --only 'no such case' --list
expect 0 '' run --list --only '^mpa-marker-00[1-3]$' --without markers
says '^mpa-marker-001 +no  .* \(needs what the device does not claim: markers\)$'
expect 0 '' run --list --format jsonl --only '^mpa-crc-00[1-3]$' --shard 2/2
says '^\{"case":"mpa-crc-002","title":".*","applies":"yes","reason":""\}$'
[ "$(wc -l <out)" -eq 1 ] || complain 'not one case of three' run --shard 2/2
expect 3 'warpcheck run: --format goes with --list' run --format jsonl

# --shard
expect 0 '' run --only '^mpa-crc-00[1-3]$' --shard 2/2 --simulate --out half
says '^pass      mpa-crc-002 .*'
says '^1 case: 1 pass, .*'
head -n 1 half/results.jsonl | grep -q '^{"type":"run",.*"shard":2,"shards":2,"repeats":1,"selected":3,"catalogue":"[0-9a-f]\{64\}"}$' ||
    complain 'the first line does not tell what is run' run --shard 2/2
expect 0 '' run --only '^mpa-crc-00[1-3]$' --shard 4/4 --simulate --out none
says '^0 cases: .*'
[ "$(sed 's/^{"type":"\([a-z]*\)".*/\1/' none/results.jsonl | tr '\n' ' ')" = 'run summary ' ] ||
    complain 'a part without cases has no results' run --shard 4/4
export TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=1
expect 0 '' run --only '^mpa-crc-00[1-3]$' --simulate --no-out
says '^pass      mpa-crc-002 .*'
expect 3 'warpcheck run: --shard is given, and TEST_TOTAL_SHARDS in the environment too' run --shard 2/2 --no-out
unset TEST_SHARD_INDEX
expect 3 'warpcheck run: the environment has TEST_TOTAL_SHARDS without TEST_SHARD_INDEX' run --no-out
unset TEST_TOTAL_SHARDS
expect 3 'warpcheck run: --shard takes I/N, I from 1 to N, not 3/2' run --shard 3/2

# --repeat, with a case that does not always give the same
mkdir often
cat >often/one.lua <<'LUA'
local count = {}
local function case(id, wrong)
  return {id = id, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = function(dut)
    local mine = (count[id] or 0) + 1
    count[id] = mine
    dut:connect{}
    check(mine ~= wrong, "this time")
  end}
end
return {case("often-001"), case("often-002", 2), case("often-003")}
LUA
expect 1 '' run --cases often --repeat 3 --out thrice
says '^FAIL      often-002 .*  #2$'
says '^flaky     often-002 .*  2 pass, 1 fail$'
says '^9 cases: 8 pass, 1 fail, .*; 1 flaky$'
cases thrice >found
for repeat in 1 2 3; do
    for case in 1 2 3; do
        [ "$repeat$case" = 22 ] && verdict=fail || verdict=pass
        echo "often-00$case \"repeat\":$repeat $verdict"
    done
done | cmp -s - found || complain 'other cases than thrice all' run --repeat 3
grep -q '^{"type":"flake","case":"often-002","verdicts":{"pass":2,"fail":1}}$' thrice/results.jsonl || complain 'no flake' run --repeat 3
[ "$(cd thrice && echo *.pcapng *.log)" = 'often-001.pcapng often-002-2.pcapng often-002.pcapng often-003.pcapng often-001.log often-002-2.log often-002.log often-003.log' ] ||
    complain 'not the evidence of the first and of what differs' run --repeat 3
expect 0 '' run --cases often --skip 002 --repeat 2 --no-out
says '^4 cases: 4 pass, .* 0 error$'
expect 3 'warpcheck run: --repeat takes a number from 1 to 1000000, not 0' run --repeat 0

# --until-failure
expect 1 '' run --cases often --until-failure --jobs 1 --no-out
says '^5 cases: 4 pass, 1 fail, .*'
expect 0 '' run --cases often --until-failure --skip 002 --repeat 3 --no-out
says '^6 cases: 6 pass, .*'

# --resume: after the whole, after what was killed, and not after other cases
expect 0 '' run --only '^mpa-crc-' --simulate --out whole
verdicts whole >all
cp -r whole killed
{ head -n 5 whole/results.jsonl; sed -n 6p whole/results.jsonl | cut -c 1-30 | tr -d '\n'; } >killed/results.jsonl
expect 0 '' run --resume killed
says '^resumed: 3 cases had been finished; the last line was torn$'
[ "$(grep -c '^pass' out)" -eq "$(($(wc -l <all) - 3))" ] || complain 'what was finished was run again, or what was not was left' run --resume
verdicts killed | cmp -s - all || complain 'other verdicts than of a run in one piece' run --resume
tail -n 1 killed/results.jsonl >one
tail -n 1 whole/results.jsonl | cmp -s - one || complain 'another summary than of a run in one piece' run --resume
expect 0 '' run --resume killed
says "^resumed: $(wc -l <all) cases had been finished$"
head -n 4 thrice/results.jsonl >part
cp part thrice/results.jsonl
expect 1 '' run --resume thrice
says '^resumed: 2 cases had been finished$'
[ "$(cases thrice | cut -d ' ' -f 1,2 | sort | uniq | wc -l)" -eq 9 ] || complain 'not thrice all' run --resume thrice
cp part thrice/results.jsonl
echo '-- another' >>often/one.lua
expect 3 'warpcheck run: thrice: the cases are not those of the run any more' run --resume thrice
cmp -s part thrice/results.jsonl || complain 'the results were changed' run --resume thrice
sed -i 's/"version":"[^"]*"/"version":"0.0.1"/' killed/results.jsonl
expect 3 'warpcheck run: killed is of warpcheck 0.0.1' run --resume killed
expect 3 'warpcheck run: --resume goes alone: the options are those of the run' run --resume killed --jobs 2
expect 3 'warpcheck: nowhere/results.jsonl: No such file or directory' run --resume nowhere
echo '{"type":"summary"}' >none/results.jsonl
expect 3 'warpcheck: none/results.jsonl:1: this is not how the results of a run begin' run --resume none

exit "$failed"
