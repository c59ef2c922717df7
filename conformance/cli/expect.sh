# shellcheck shell=sh disable=SC2034 # the scripts that source it use $failed, $port and $region
# Shared by the tests of the command line, which source this file with the program as their first argument. $failed is 1 if
# a check has failed. The folder $work is removed at the end of the test.
program=$(realpath "$1")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    message=$1
    shift
    echo "FAILED: $message: warpcheck $*" >&2
    failed=1
}

# expect CODE 'PATTERN' ARGUMENT...: runs the program; expects this exit code, and on stderr one line that matches the whole
# pattern ("" for no line)
expect() {
    code=$1 pattern=$2
    shift 2
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    [ $found -eq "$code" ] || complain "exit $found instead of $code" "$@"
    if [ -z "$pattern" ]; then
        [ ! -s "$work/err" ] || complain "unexpected: $(cat "$work/err")" "$@"
    else
        [ "$(wc -l <"$work/err")" -eq 1 ] || complain "not one line: $(cat "$work/err")" "$@"
        grep -qxE "$pattern" "$work/err" || complain "said: $(cat "$work/err")" "$@"
    fi
}

# says 'PATTERN': the pattern matches a line of the latest output
says() {
    grep -qE "$1" "$work/out" || complain "no '$1' in what it printed"
}

# begin_serve ARGUMENT...: starts `warpcheck serve`; its process is $server, its port $port, and its second line $region. More lines
# come from descriptor 3.
begin_serve() {
    mkfifo "$work/pipe"
    "$program" serve --listen 127.0.0.1:0 --quiet "$@" >"$work/pipe" 2>"$work/serve.err" &
    server=$!
    exec 3<"$work/pipe"
    read -r line <&3
    port=${line#listening on 127.0.0.1:}
    port=${port%%,*}
    read -r region <&3
    rm "$work/pipe"
}
region_stag() { echo "$region" | sed 's/.*STag \(0x[0-9a-f]*\),.*/\1/'; }
end_serve() {
    kill -"$1" "$server"
    wait "$server" || complain "exit code of serve after SIG$1: $(cat "$work/serve.err")" serve
    exec 3<&-
}

# step NAME N COMMAND: prints a shell command that counts its calls; in the call of number N, from 1, it runs COMMAND.
step() {
    rm -f "$work/$1.calls"
    echo "if [ \$(echo x >>'$work/$1.calls'; wc -l <'$work/$1.calls') -eq $2 ]; then $3; fi"
}
# calls NAME N: there were N calls
calls() { [ "$(wc -l <"$work/$1.calls")" -eq "$2" ] || complain "$(wc -l <"$work/$1.calls") calls of $1 instead of $2" run; }
