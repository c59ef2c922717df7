#!/bin/bash
# Drives the program as Wireshark does: by its extcap protocol through a FIFO, and by tshark. Usage: extcap_test.sh WARPCHECK
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d) || exit 99
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    echo "FAILED: $*" >&2
    failed=1
}

# expect CODE 'PATTERN' ARGUMENT...: runs the program; expects this exit code, and on stderr one matching line ("" for no line)
expect() {
    local code=$1 pattern=$2 found
    shift 2
    "$extcap" "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    [ $found -eq "$code" ] || complain "exit $found instead of $code: $*"
    if [ -z "$pattern" ]; then
        [ ! -s "$work/err" ] || complain "unexpected: $(cat "$work/err"): $*"
    else
        grep -qxE "$pattern" "$work/err" || complain "said: $(cat "$work/err"): $*"
    fi
}

printed() { # expects the output that is given as standard input
    diff - "$work/out" >"$work/difference" || complain "$1: $(cat "$work/difference")"
}

# A copy with the name that it has when it is installed.
mkdir "$work/extcap" "$work/home"
cp "$program" "$work/extcap/warpcheck-extcap"
extcap=$work/extcap/warpcheck-extcap
script=$work/tour.lua
cp "$root/generator/examples/send_write_read.lua" "$script"
chmod -R a+rX "$work"

# ---- what Wireshark asks for ----

version=$("$program" --version)
expect 0 '' --extcap-interfaces --extcap-version=4.0
printed --extcap-interfaces <<END
extcap {version=${version#warpcheck }}{display=warpcheck}
interface {value=iwarp-script}{display=iWARP script}
interface {value=iwarp-memory}{display=iWARP script in memory}
END
for interface in iwarp-script iwarp-memory; do
    expect 0 '' --extcap-interface $interface --extcap-dlts
    printed --extcap-dlts <<<'dlt {number=1}{name=EN10MB}{display=Ethernet}'
    expect 0 '' --extcap-interface $interface --extcap-config
    [ "$(sed -n 1p "$work/out" | cut -d '}' -f 1-3)" = 'arg {number=0}{call=--script}{display=Script' ] ||
        complain "the script is not the first setting: $(cat "$work/out")"
    # The program accepts every option that it lists for Wireshark.
    grep -oE 'call=--[a-z-]+' "$work/out" | cut -d = -f 2 | while read -r option; do
        "$extcap" --help | grep -qE "^ +(-., )?$option( |$)" || echo "$option"
    done >"$work/unknown"
    [ ! -s "$work/unknown" ] || complain "settings of $interface that are no options: $(cat "$work/unknown")"
done
expect 3 'warpcheck extcap: unknown interface eth0' --extcap-interface eth0 --extcap-dlts
expect 3 'warpcheck extcap: no interface given' --extcap-config
expect 3 'warpcheck extcap: nothing to do: .*' --extcap-interface iwarp-script
expect 3 'warpcheck extcap: no --fifo FILE given' --extcap-interface iwarp-script --capture --script "$script"
expect 3 'warpcheck extcap: no script given: .*' --extcap-interface iwarp-script --capture --fifo "$work/x" --script ''
run=(--capture --fifo "$work/x" --script "$script")
expect 3 'warpcheck extcap: --peer takes HOST:PORT, PORT at most 65535, IPv6 as \[HOST\]:PORT, not here' --extcap-interface iwarp-script "${run[@]}" --peer here
expect 3 'warpcheck extcap: --args: .*NAME=VALUE, not b' --extcap-interface iwarp-script "${run[@]}" --args 'a=1 b'
expect 3 'warpcheck extcap: --impairment: unknown impairment rain .*' --extcap-interface iwarp-memory "${run[@]}" --impairment rain
expect 3 'warpcheck extcap: --seed takes .*' --extcap-interface iwarp-memory "${run[@]}" --seed 0
expect 3 'warpcheck extcap: --sctp allows only .*' --extcap-interface iwarp-memory "${run[@]}" --sctp --impairment wrap

# ---- packets through a FIFO ----

through_fifo() { # runs a capture with these arguments, into $work/got
    rm -f "$work/fifo"
    mkfifo "$work/fifo"
    cat "$work/fifo" >"$work/got" &
    expect 0 '' "$@" --capture --fifo "$work/fifo" --extcap-capture-filter ''
    wait $!
}
through_fifo --extcap-interface iwarp-script --script "$script" --peer '' --args ''
"$program" check "$work/got" >"$work/out" 2>&1 || complain "check of what came: $(cat "$work/out")"
through_fifo --extcap-interface iwarp-memory --script "$script" --impairment vlan=7 --seed 3 --args 'a=1  b=2'
"$program" check "$work/got" >"$work/out" 2>&1 || complain "check of what came: $(cat "$work/out")"
through_fifo --extcap-interface iwarp-memory --script "$script" --sctp
"$program" check "$work/got" >"$work/out" 2>&1 || complain "check of what came: $(cat "$work/out")"
grep -q 'over SCTP: session 1' "$work/out" || complain "no SCTP: $(cat "$work/out")"

# Packets arrive while the script still runs.
printf '%s\n' 'local l = listen{}' 'spawn(function() l:accept{} end)' 'local c = connect{port = l.port}' 'c:send{data = "now"}' \
    'pause(1000)' >"$work/wait.lua"
rm -f "$work/fifo"
mkfifo "$work/fifo"
"$extcap" --extcap-interface iwarp-script --capture --fifo "$work/fifo" --script "$work/wait.lua" &
player=$!
timeout 60 tshark -r "$work/fifo" -c 6 -T fields -e tcp.len >"$work/out" 2>/dev/null
[ "$(wc -l <"$work/out")" -eq 6 ] || complain "$(wc -l <"$work/out") packets while the script goes on"
kill -0 $player || complain 'the script is over'
kill $player
wait $player 2>/dev/null

# Errors go to stderr, which Wireshark shows.
printf 'fail("as asked")\n' >"$work/fail.lua"
expect 1 'failed: .*fail.lua:1: as asked' --extcap-interface iwarp-script --capture --fifo "$work/x" --script "$work/fail.lua"
expect 3 'warpcheck: .*none.lua: No such file or directory' --extcap-interface iwarp-memory --capture --fifo "$work/x" \
    --script "$work/none.lua"

# ---- by tshark ----

# For the superuser, Wireshark looks for extcap programs only in the folder of the system.
user=(env "HOME=$work/home" "WIRESHARK_EXTCAP_DIR=$work/extcap")
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups "${user[@]}")
chmod 777 "$work/home"
"${user[@]}" tshark -D >"$work/out" 2>"$work/err"
if grep -q '(iWARP script)$' "$work/out"; then
    "${user[@]}" timeout 60 tshark -i iwarp-memory -o extcap.iwarp_memory.script:"$script" -T fields -e frame.comment \
        -e tcp.len >"$work/out" 2>"$work/err" || complain "tshark: $(cat "$work/err")"
    grep -qP '^[a-z: ]+\t[1-9]' "$work/out" || complain "tshark shows no packets with their steps: $(cat "$work/out" "$work/err")"
    "${user[@]}" timeout 60 tshark -i iwarp-script -c 3 -o extcap.iwarp_script.script:"$work/wait.lua" -T fields -e frame.number \
        >"$work/out" 2>"$work/err" || complain "tshark: $(cat "$work/err")"
    [ "$(paste -sd ' ' "$work/out")" = '1 2 3' ] || complain "tshark shows other packets: $(cat "$work/out" "$work/err")"
    ! grep -q 'extcap pipe' "$work/err" || complain "an error at the end of a capture: $(cat "$work/err")"
else
    echo "not tested with tshark: it does not find $extcap: $(cat "$work/err")" >&2
fi
exit $failed
