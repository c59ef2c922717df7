#!/bin/sh
# The files that a command leaves if a signal ends it while it runs. Usage: kill_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

# An endless conversation.
cat >"$work/talk.lua" <<'END'
local to = listen{}
spawn(function()
  local b = to:accept{}
  while true do b:expect{{kind = "send"}} b:send{data = "and back"} end
end)
local c = connect{port = to.port}
while true do c:send{data = "there"} c:expect{{kind = "send"}} end
END
mkdir "$work/left" "$work/temporary"
capture=$work/left/talk.pcapng

# recorded: the capture exists, and has a stream and only complete packets.
recorded() {
    [ -e "$capture" ] || return 1
    [ "$(ls "$work/left")" = talk.pcapng ] || complain "left $(ls "$work/left")" check
    "$program" check "$capture" >"$work/checked" 2>"$work/complaint"
    found=$?
    ! grep -q 'no iWARP stream found' "$work/complaint" || return 1
    if [ "$found" -ne 0 ] || [ -s "$work/complaint" ]; then
        complain "exit $found: $(cat "$work/complaint")" check "$capture"
    fi
}
reported() { grep -q '^errors: none$' "$work/out"; }

# interrupted SIGNAL 'CODES' COMMAND...: runs the command and sends the signal, later each time, until the command has left a
# result five times. It exits with one of CODES, or by the signal if it does not catch the signal, or not yet.
interrupted() {
    signal=$1 codes=$2 milliseconds=20 times=0
    shift 2
    while [ $times -lt 5 ]; do
        rm -f "$capture"
        after=$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))
        TMPDIR=$work/temporary timeout --foreground --preserve-status -s "$signal" "$after" \
            "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
        found=$?
        case " $codes 130 143 " in
        *" $found "*) ;;
        *) complain "exit $found after SIG$signal" "$@" ;;
        esac
        ! grep -qv '^warpcheck: interrupted before the first operation: ' "$work/err" || complain "said: $(cat "$work/err")" "$@"
        [ -z "$(ls "$work/temporary")" ] || complain "left $(ls "$work/temporary")" "$@"
        if [ "$1" = load ]; then reported; else recorded; fi && times=$((times + 1))
        milliseconds=$((milliseconds * 3 / 2))
        if [ $milliseconds -gt 60000 ]; then
            complain "nothing to be seen after a minute" "$@"
            return
        fi
    done
}

for signal in INT TERM; do
    interrupted "$signal" 2 play --quiet --record "$capture" "$work/talk.lua"
    interrupted "$signal" '' synth --quiet "$work/talk.lua" -o "$capture"
    interrupted "$signal" '0 3' load --duration 1000
done
exit $failed
