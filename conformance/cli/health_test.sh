#!/bin/sh
# warpcheck run --health and --console: a crash of the device fails its case. Usage: health_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# Cases whose script fails only in the last one. The commands simulate the failures of the device: they count their calls.
mkdir cases
cat >cases/one.lua <<'LUA'
local function case(id, wrong)
  return {id = id, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = function(dut)
    dut:connect{}
    check(not wrong, "the case's own reason")
  end}
end
return {case("health-001"), case("health-002"), case("health-003"), case("health-004", true)}
LUA
mkfifo pipe
"$program" serve --listen 127.0.0.1:0 --quiet >pipe &
server=$!
read -r line <pipe
port=${line#listening on 127.0.0.1:}
watched() { # CODE OPTION...
    code=$1
    shift
    expect "$code" '' run --cases cases --peer "127.0.0.1:$port" "$@"
}

# A healthy device: checked before the first case, and after each case.
: >console
watched 0 --only 'health-00[1-3]' --health "$(step good 0 :)" --console console --no-out
says '^3 cases: 3 pass, .*'
calls good 4

# The third check is after the second case. Then the check is repeated, and the run goes on.
watched 1 --only 'health-00[1-3]' --health "$(step bad 3 'echo no answer; exit 7')" --out bad
says '^FAIL      health-002 .*'
says '^          expected  the device remains responsive$'
says '^          actual    the device is not responsive after the case: exit code 7: no answer$'
says '^3 cases: 2 pass, 1 fail, .*'
calls bad 5
grep -q '^{"type":"case","case":"health-002",.*"verdict":"fail","level":"MUST",.*"unresponsive":"exit code 7: no answer"' bad/results.jsonl ||
    complain 'the row does not say that the device is unresponsive' run --health

# A crash during a case: what the console says up to the check belongs to the case.
watched 1 --only 'health-00[1-3]' --health "$(step crash 3 'echo before >>console; echo "[ 1.0] Oops: 0000" >>console')" \
    --console console --out crash
says '^FAIL      health-002 .*'
says '^          actual    the device crashed: \[ 1.0\] Oops: 0000$'
says '^3 cases: 2 pass, 1 fail, .*'
calls crash 5
grep -q '"case":"health-002",.*"crash":"\[ 1.0\] Oops: 0000"' crash/results.jsonl || complain 'the row does not name the crash' run --console
grep -q '^console: before$' crash/health-002.log || complain 'the log does not have the console' run --console
grep -q '^because: the device crashed: ' crash/health-002.log || complain 'the log does not name the crash' run --console
for format in junit html; do
    expect 1 '' report --format $format crash
    says '.*the device crashed: \[ 1.0\] Oops: 0000.*'
done

# A failing case keeps its own reason, after the crash. Without --health, the console alone is watched.
watched 1 --only 'health-004' --console console --health "$(step own 2 'echo "FW ASSERT" >>console; exit 1')" \
    --console-pattern 'fw assert' --no-out
says '^          because   the device crashed: FW ASSERT; .*the case.s own reason$'

# A crash between two cases is reported with the earlier one.
: >console
watched 1 --only 'health-00[1-3]' --before "$(step between 3 'echo "kernel BUG at a.c:1!" >>console')" --console console --out between
says '^CRASH     of the device after health-002: kernel BUG at a.c:1!$'
says '^3 cases: 3 pass, .*; 1 crash between cases$'
grep -q '^{"type":"crash","case":"health-002","message":"kernel BUG at a.c:1!"}$' between/results.jsonl ||
    complain 'no record of the crash' run --console
tail -n 1 between/results.jsonl | grep -q '"crashes":1' || complain 'the summary does not count the crash' run --console
expect 1 '' report between
expect 1 '' report --format junit between
says '.*classname="crashes" name="health-002".*'
expect 1 '' run --resume between
says '; 1 crash between cases$'

# ... but not if the command of --before restarts a device that has failed.
: >console
watched 1 --only 'health-00[1-3]' --health "$(step first 3 'exit 1')" \
    --before "$(step restart 3 'echo "Kernel panic - after 20 s" >>console')" --console console --no-out
says '^3 cases: 2 pass, 1 fail, 0 inconclusive, 0 not applicable, 0 error$'

# ... or if that command fails: the case has not begun. Its reason has the line, the next case runs.
: >console
watched 2 --only 'health-00[1-3]' --before "$(step slow 2 'echo "Kernel panic - restart" >>console; echo too slow; exit 1')" --console console --no-out
says '^INCONCL   health-002 .*  the command of --before: exit code 1: too slow; on the console: Kernel panic - restart$'
says '^3 cases: 2 pass, 0 fail, 1 inconclusive, 0 not applicable, 0 error$'

# A device that stays unhealthy gets no cases; one that is unhealthy from the start gets no run.
watched 1 --health "[ ! -e gone ] && { [ -e once ] && : >gone; : >once; [ ! -e gone ]; }" --no-out
says '^FAIL      health-001 .*'
says '^INCONCL   health-002 .*  the command of --health: exit code 1$'
expect 3 'warpcheck: the command of --health: exit code 2: dead' run --cases cases --peer "127.0.0.1:$port" \
    --health 'echo dead; exit 2' --no-out

expect 3 'warpcheck run: --health goes with --jobs 1: .*' run --peer "127.0.0.1:$port" --health true --jobs 2 --no-out
expect 3 'warpcheck run: --console goes with --peer' run --console console --no-out
expect 3 'warpcheck run: --console-pattern goes with --console' run --console-pattern x --no-out
expect 3 'warpcheck run: --console: /nonexistent: No such file or directory' run --peer "127.0.0.1:$port" --console /nonexistent --no-out
kill "$server"
exit "$failed"
