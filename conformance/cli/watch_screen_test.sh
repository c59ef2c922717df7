#!/bin/sh
# The table of warpcheck watch, on terminals of tmux. Usage: watch_screen_test.sh WARPCHECK
# Exit code 77: tmux is missing. Without the right to capture, the part on loopback is left out.
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
captures=$here/../../captures
command -v tmux >/dev/null || {
    echo "not available: tmux: skipped"
    exit 77
}
unset TMUX NO_COLOR
# Its server must not hold the FIFOs open. Each terminal has a server of its own: the one before may still be ending.
terminals=0
terminal() { tmux -S "$work/tmux$terminals" -f /dev/null "$@" 5>&- 6>&-; }
trap 'terminal kill-server 2>/dev/null; rm -rf "$work"' EXIT

# begin WIDTH HEIGHT ARGUMENT...: runs `watch` on a terminal; its process is $watch. After its end the terminal shows the exit code
# and whether the terminal is as before: "ended CODE icanon echo".
begin() {
    size="-x $1 -y $2"
    terminals=$((terminals + 1))
    shift 2
    rm -f "$work/pid"
    mkfifo "$work/pid"
    # shellcheck disable=SC2086,SC2016  # two words; the inner shells expand
    terminal new-session -d $size "sh -c 'echo \$\$ >$work/pid; exec $program watch $*'
        echo \"ended \$? \$(stty -a | grep -ow -e '-\?icanon' -e '-\?echo' | tr '\\n' ' ')\"; read -r line"
    read -r watch <"$work/pid"
}
keys() { terminal send-keys "$@"; }
pane() { terminal capture-pane -p 2>&1; }

# shows PATTERN: waits until a line of the terminal matches it; lacks PATTERN: until no line does. For 30 seconds at least.
await() { # CODE of grep that is awaited, PATTERN
    tries=150
    while [ $tries -gt 0 ]; do
        pane >"$work/pane"
        grep -qE "$2" "$work/pane"
        [ $? -eq "$1" ] && return 0
        tries=$((tries - 1))
        sleep 0.2
    done
    return 1
}
shows() { await 0 "$1" || { complain "no '$1' on the terminal" watch && cat "$work/pane"; }; }
lacks() { await 1 "$1" || { complain "still '$1' on the terminal" watch && cat "$work/pane"; }; }
# restored CODE: the program has ended with this exit code, and the terminal is as before
restored() {
    shows "^ended $1 icanon echo"
    [ "$(terminal display-message -p '#{alternate_on}')" = 0 ] || complain 'leaves its screen on the terminal' watch
}
close_terminal() { terminal kill-server; }

expect 3 'warpcheck: --format screen: standard output is not a terminal' watch -i "$captures/causes/clean.pcap" --format screen

# ---- a FIFO: two connections, of which one violates ----

mkfifo "$work/one" "$work/two"
begin 80 24 -i "$work/one" -i "$work/two" --explain
exec 5<>"$work/one" 6<>"$work/two"
shows '^watching .*/one, .*/two +[0-9]{2}:[0-9]{2}:[0-9]{2}Z$'
shows '^no iWARP connection yet$'
shows '0 open  0 ended  err/w/n 0/0/0$'
cat "$captures/causes/crc_zero.pcap" >&5
shows '^192\.0\.2\.1:46020 +192\.0\.2\.2:4711 +Terminate +violates +2/0/0 +[0-9]+$'
shows '^initiator +responder +state +verdict +err/w/n octets/s$'
shows '0 dropped  0 open  1 ended  err/w/n 2/0/0$'
shows '^q end  Enter details  s sort: age  / filter  \? help$'

keys Enter
shows '^  stream 0: 192\.0\.2\.1:46020 \(initiator\) and 192\.0\.2\.2:4711 \(responder\)'
shows '^    initiator: Rev 1, M=0 C=1 R=0'
shows '^    frame 6: error RFC5044-4\.4-11 \(RFC 5044 4\.4, MUST\) initiator: CRC is'
shows '0x00000000, expected 0xb990b10c$'
shows '^ {10}00 00 00 00 00 00 00$' # the second part of the FPDU, with its CRC marked
shows '^ {19}\^{11} CRC$'
shows 'Esc back$'
keys End # a few seconds after its close the connection is reported, with its story
shows '^    verdict: violates$'
shows '^    cause: A side sends no CRCs although they are in use'
keys Home
shows '^  stream 0: .*frames 1$'
keys Escape
shows '^initiator +responder'

keys / 'not here' # a text of two words
shows '^no connection passes the filter$'
shows '^/not here_  Enter: done'
keys Escape
shows '^192\.0\.2\.1:46020'
keys / TERMIN Enter
shows '^/TERMIN  q end'
shows '^192\.0\.2\.1:46020'
keys Escape
lacks '^/TERMIN'
keys s
shows 's sort: address'
keys S S
shows 's sort: findings'
keys '?'
shows '^Columns, as many as fit'
keys Escape
shows '^initiator +responder'

# another size of the terminal
terminal resize-window -x 200 -y 60
shows '^initiator +responder.* out -> +out <- FPDUs -> FPDUs <- octets -> octets <- Rev +Markers CRC IRD/ORD +latest finding'
shows '^192\.0\.2\.1:46020 .* Terminate .* 0 +0 +2 +1 +10 +0 1 +no +yes +RFC5044-4\.4-11 CRC'
terminal resize-window -x 40 -y 6
shows '^initiator$'
terminal resize-window -x 80 -y 24
shows '^initiator +responder +state +verdict +err/w/n octets/s$'
keys q
restored 1
shows '^1 iWARP stream, 3 FPDUs: 2 errors, 0 warnings, 0 notes: violates$'
close_terminal

# ---- signals ----

begin 200 60 -i "$work/one"
exec 5<>"$work/one"
cat "$captures/causes/clean.pcap" >&5
shows ' conforms '
kill -TERM "$watch"
restored 0
shows '^    verdict: conforms$'
close_terminal

begin 80 24 -i "$work/one"
shows '^no iWARP connection yet$'
keys C-c
restored 3
shows '^warpcheck: .*/one: no iWARP stream found in 0 frames$'
close_terminal

# A second signal before the first has ended the watch: both are delivered when the process goes on.
begin 80 24 -i "$work/one"
shows '^no iWARP connection yet$'
kill -STOP "$watch"
kill -TERM "$watch"
kill -INT "$watch"
kill -CONT "$watch"
restored '(130|143)'
close_terminal

# ---- an error; keys while standard input is the capture ----

begin 80 24 -i "$work/one"
shows '^no iWARP connection yet$'
head -c 100 "$captures/causes/crc_zero.pcap" >&5
exec 5>&-
restored 3
shows '^warpcheck: .*/one: .*truncated'
close_terminal

begin 80 24 -i - "<$work/one"
exec 5<>"$work/one"
cat "$captures/causes/clean.pcap" >&5
shows '^watching standard input '
shows '^192\.0\.2\.'
keys q
restored 0
exec 5>&- 6>&-
close_terminal

# ---- a ring that cannot be written: its line is at the foot, and on stderr after the table ----

mkdir "$work/ring"
begin 200 60 -i "$work/one" -i "$work/two" --ring 4K,3 --out "$work/ring"
exec 5<>"$work/one" 6<>"$work/two"
cat "$captures/causes/clean.pcap" >&5
shows '^192\.0\.2\.'
rm -r "$work/ring"
cat "$captures/upper/rpc.pcap" >&6 # more than a file holds
shows "^$work/ring.* was removed while it was written"
tail -n 1 "$work/pane" | grep -q "^$work/ring" || complain "not at the foot: $(cat "$work/pane")" watch --ring
shows '^192\.0\.2\.' # the line is not drawn over the table
keys q
restored 3
shows "^warpcheck: $work/ring.*"
exec 5>&- 6>&-
close_terminal

# ---- loopback ----

"$program" watch -i lo --format text --duration 0.001 >/dev/null 2>"$work/err"
if grep -q 'no permission' "$work/err"; then
    cat "$work/err"
    exit "$failed"
fi
# The peer answers Reads with a wrong CRC; Writes have no answer.
begin_serve --defect crc-wrong --no-crc
begin 80 24 -i lo --filter "\"tcp port $port\""
shows '^no iWARP connection yet$'
region_to() { echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/'; }
region=$(region_stag),$(region_to),65536
"$program" load --peer "127.0.0.1:$port" --region "$region" --mix write --verify 0 --rate 50 --duration 300 >"$work/load" 2>&1 &
load=$!
shows "^127\.0\.0\.1:[0-9]+ +127\.0\.0\.1:$port +open +0/0/0 +[1-9][0-9.kM]*\$"
shows '[1-9][0-9]* packets/s .*0 dropped  1 open  0 ended'
keys Enter
shows '^    initiator sent [0-9]+ FPDUs, [0-9]+ messages'
keys Escape
kill -INT "$load"
wait "$load"
shows "^127\.0\.0\.1:[0-9]+ +127\.0\.0\.1:$port +FIN +conforms +0/0/0"
"$program" load --peer "127.0.0.1:$port" --region "$region" --mix read --count 1 >"$work/load" 2>&1
shows "^127\.0\.0\.1:[0-9]+ +127\.0\.0\.1:$port +Terminate +violates +[1-9][0-9]*/0/0"
shows ' 0 open  2 ended  err/w/n [1-9]'
keys q
restored 1
end_serve TERM
exit "$failed"
