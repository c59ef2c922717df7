#!/bin/bash
# What warpcheck run and report print, and to what. Usage: output_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

# --format tap
expect 1 '' run --simulate --only '^mpa-crc-00[1-5]$|^mpa-marker-001$' --without markers --defect crc-wrong --out wrong
expect 1 '' report --format tap wrong
[ "$(head -n 2 out)" = "$(printf 'TAP version 14\n1..6')" ] || complain "begins with $(head -n 2 out)" report --format tap
says '^(not )?ok [1-6] - mpa-crc-001: A CRC with one wrong bit is answered by Terminate 2/0/02$'
says '^not ok [1-6] - mpa-crc-005: '
says '^ok [1-6] - mpa-marker-001: .* # SKIP not applicable: needs what the device does not claim: markers$'
says '^  clause: "RFC 5044 [0-9.]*"$'
says '^  expected: "'
says '^  actual: "'
says '^  frame: [1-9][0-9]*$'
[ "$(grep -cE '^(not )?ok ' out)" -eq 6 ] || complain 'not as many points as planned' report --format tap
[ "$(grep -c '^  ---$' out)" -eq "$(grep -c '^  \.\.\.$' out)" ] || complain 'a YAML block has no end' report --format tap
printf '%s\n' '{"type":"run","version":"1"}' '{"type":"case","case":"a-001","title":"a # b \\ c \"d\"","requirements":["RFC5044-4.1-02"],"verdict":"fail","message":"e \"f\"","actual":"\u001b[2J"}' >odd.jsonl
expect 1 '' report --format tap odd.jsonl
says '^not ok 1 - a-001: a \\# b \\\\ c "d"$'
says '^  message: "e \\"f\\""$'
says '^Bail out! '
! grep -qP '\x1b' out || complain 'the output has an escape sequence' report --format tap

# Cases that passed are printed only with --verbose; then come the summary and the folder of the results.
expect 1 '' run --simulate --only '^mpa-crc-00' --defect crc-wrong --out brief
! grep -q '^pass' out || complain 'prints a case that passed' run
says '^FAIL      mpa-crc-005 '
[ "$(tail -n 1 out)" = 'results: brief (as a page: warpcheck report --format html -o report.html brief)' ] || complain "ends with $(tail -n 1 out)" run
says '^[1-9] cases: [1-9] pass, [1-9] fail, '
expect 1 '' run --simulate --only '^mpa-crc-00' --defect crc-wrong --no-out -v
says '^pass      mpa-crc-00'
! grep -q '^results: ' out || complain 'names a folder' run --no-out

# On a terminal: progress with counts, rate and time left, and colours.
cat >terminal.py <<'PYTHON'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
output = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    output += part
sys.stdout.buffer.write(output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
on_terminal() { python3 terminal.py "$program" run --simulate --only '^mpa-crc-00|^rdma-read-0' --defect crc-wrong --no-out >out; }
unset NO_COLOR
TERM=xterm on_terminal
tr '\r' '\n' <out | grep -qE '^.\[K[0-9]+ of [1-9][0-9]* cases, [0-9]+ failed, [0-9.]+ a second, [0-9]+ s left' || complain 'no progress' run
grep -qP '\x1b\[1;31mFAIL    \x1b\[0m  ' out || complain 'no colours' run
NO_COLOR=1 TERM=xterm on_terminal
! grep -qP '\x1b\[[0-9;]*m' out || complain 'colours in spite of NO_COLOR' run
grep -qP '\x1b\[K' out || complain 'no progress with NO_COLOR' run
TERM=dumb on_terminal
! grep -qP '\x1b' out || complain 'an escape sequence for a dumb terminal' run
expect 1 '' run --simulate --only '^mpa-crc-00' --defect crc-wrong --no-out
! grep -qP '\x1b' out || complain 'an escape sequence in a file' run

# Results that are no regular file do not block the program.
mkfifo pipe && mkdir piped && mkfifo piped/results.jsonl
quick() { timeout 20 "$program" "$@" >out 2>err </dev/null; }
quick report pipe
found=$?
[ $found -eq 3 ] || complain "exit $found" report pipe
grep -qx 'warpcheck: pipe: not a regular file' err || complain "exit $found: $(cat err)" report pipe
quick run --resume piped
found=$?
[ $found -eq 3 ] || complain "exit $found" run --resume piped
grep -qx 'warpcheck: piped/results.jsonl: not a regular file' err || complain "exit $found: $(cat err)" run --resume piped

# Two signals do not cost the summary. The reasons of the cases that do not apply are more than the pipe and the buffer of the
# program hold, and follow the run: so when the first of them is read, the program has handled the first signal, and it cannot
# write its summary until the rest is read.
mkdir slow
cat >slow/slow.lua <<'LUA'
local cases = {}
local function add(id, run)
  cases[#cases + 1] = {id = id, title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "none", run = run}
end
for number = 101, 200 do
  add("reason-" .. number, function(dut) dut:not_applicable(number .. string.rep(" reason", 30)) end)
end
add("slow-001", function(dut) dut:connect{}:expect{{kind = "terminate"}, timeout = 60} end)
return cases
LUA
cat >twice.py <<'PYTHON'
import fcntl, os, re, signal, subprocess, sys, time

program, out, options = sys.argv[1], sys.argv[2], sys.argv[3:]
results = os.path.join(out, "results.jsonl")
reader, writer = os.pipe()
fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
os.set_blocking(reader, False)
run = subprocess.Popen([program, "run", "--cases", "slow", "--out", out, "--jobs", "1", *options], stdin=subprocess.DEVNULL, stdout=writer)
os.close(writer)
printed = b""


def read():
    global printed
    try:
        part = os.read(reader, 4096)
    except BlockingIOError:
        part = None
    printed += part or b""
    return part


while run.poll() is None and not (os.path.exists(results) and '"case":"reason-200"' in open(results).read()):
    if not read():
        time.sleep(0.01)
run.send_signal(signal.SIGTERM)
os.set_blocking(reader, True)
while not re.search(rb"^n/a +[0-9]+ cases?: 101 reason", printed, re.M):
    if not read():
        sys.exit("ended without the reasons")
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
    run.send_signal(number)
while read():
    pass
code = run.wait()
last = open(results).read().splitlines()[-1]
print(f"exit code {code}:", "summary" if last.startswith('{"type":"summary",') else "no summary")
PYTHON
for options in '' '--simulate --repeat 1000000'; do
    # shellcheck disable=SC2086 # several options
    python3 twice.py "$program" "twice$options" $options >out 2>err || complain "$(cat err)" run "$options"
    grep -qxE 'exit code [12]: summary' out || complain "after several signals: $(cat out err)" run "$options"
done
exit "$failed"
