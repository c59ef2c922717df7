#!/bin/sh
# warpcheck run --relay with --before, --health and --console, between `serve` and `play`. Usage: run_relay_health_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99

expect 3 'warpcheck run: --checked goes with --relay' run --checked initiator
expect 3 'warpcheck run: --checked goes with --health or --console' run --relay --to 127.0.0.1:1 --checked initiator
expect 3 'warpcheck run: --checked takes initiator or responder.*' \
    run --relay --to 127.0.0.1:1 --health true --checked both

begin_serve --echo
# judge CODE ARGUMENT...: runs the cases of one impairment between the server and `play`; the exit code is CODE
judge() {
    wanted=$1
    shift
    "$program" run --relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" --out results --force \
        --start "exec $program play --quiet --timeout 60 $here/testdata/relay_tour.lua --peer {host}:{port} \
            --arg stag=$(region_stag) --arg to=$(echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/')" \
        "$@" >out 2>err </dev/null
    found=$?
    [ $found -eq "$wanted" ] || complain "exit $found instead of $wanted: $(cat out err)" run --relay "$@"
}
verdict_of() { sed -n 's/.*"type":"case","case":"'"$1"'".*"verdict":"\([a-z]*\)".*/\1/p' results/results.jsonl; }
# verdicts RESPONDER INITIATOR: of both cases of the impairment
verdicts() {
    [ "$(verdict_of relay-crc-06a-responder) $(verdict_of relay-crc-06a-initiator)" = "$1 $2" ] ||
        complain "not $1 and $2: $(cat out)" run --relay
}
: >console

# before each conversation, of which the first has no impairment; the health before the first and after each
judge 0 --only 'crc-06' --before "$(step before 0 :)" --health "$(step health 0 :)" --console console
says '^4 cases: 4 pass, '
calls before 3
calls health 4

# the health command and the console are about the responder, whose case fails; that of the initiator does not
judge 1 --only 'crc-06a' --health "$(step responder 3 'echo no answer; exit 7')"
says '^FAIL +relay-crc-06a-responder '
says '^ +actual +the device is not responsive after the case: exit code 7: no answer$'
verdicts fail pass
calls responder 3
judge 1 --only 'crc-06a' --health "$(step initiator 3 'exit 7')" --checked initiator
verdicts pass fail

# a crash during the conversation; the log of the case quotes the console
judge 1 --only 'crc-06a' --health "$(step crash 3 'echo before >>console; echo "[ 1.0] Oops: 0000" >>console')" --console console
says '^ +actual +the device crashed: \[ 1.0\] Oops: 0000$'
verdicts fail pass
grep -q '^console: before$' results/relay-crc-06a-responder.log || complain 'the log does not have the console' run --console
grep -q '^console: ' results/relay-crc-06a-initiator.log && complain 'the log of the other device has the console' run --console

# without a case about the device, its failure counts on its own
judge 1 --only 'crc-06a-initiator' --health "$(step apart 3 'exit 7')"
says '^CRASH +of the device after relay-crc-06a-initiator: it is not responsive: exit code 7$'
says '^1 case: 1 pass, .*; 1 crash between cases$'

# a conversation that is not prepared gives no verdict; --resume runs it again
judge 2 --only 'crc-06a' --before "$(step slow 2 'echo too slow; exit 1')"
says '^INCONCL +relay-crc-06a-responder .*  the command of --before: exit code 1: too slow$'
verdicts inconclusive inconclusive
expect 0 '' run --resume results
says '^2 cases: 2 pass, '

# the measure needs devices that are prepared, and that survive it
judge 3 --only 'crc-06a' --before 'echo no; exit 1'
grep -qx 'warpcheck: the command of --before: exit code 1: no' err || complain "said: $(cat err)" run --before
judge 3 --only 'crc-06a' --health 'echo dead; exit 2'
grep -qx 'warpcheck: the command of --health: exit code 2: dead' err || complain "said: $(cat err)" run --health
judge 3 --only 'crc-06a' --health "$(step measure 2 'echo "kernel BUG at a.c:1!" >>console')" --console console
grep -qx 'warpcheck: without impairment, the device crashed: kernel BUG at a.c:1!' err || complain "said: $(cat err)" run --console

end_serve TERM
exit "$failed"
