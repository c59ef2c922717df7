#!/bin/sh
# Recording to a file that cannot grow any more. Usage: full_disk_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

cat >"$work/talk.lua" <<'END'
local to = listen{}
spawn(function() to:accept{} end)
local c = connect{port = to.port}
for _ = 1, 100 do c:send{data = ("x"):rep(100)} end
c:close{}
END
sed -e '/listen\|spawn/d' -e 's/port = to.port//' "$work/talk.lua" >"$work/visit.lua"
full="warpcheck: $work/full.pcapng: File too large; recorded up to frame [1-9][0-9]*"

# Runs the command with a limit of 4,096 octets per file.
limited() {
    (ulimit -f 8 && exec "$program" "$@")
}
# The file is a valid capture up to the frame that the message in the file $1 names.
whole() {
    expect 0 '' check "$work/full.pcapng"
    says "frames 1 to $(sed 's/.*frame //' "$1")\$"
}

# `serve` prints the message once and continues; its exit code at the end shows the error.
mkfifo "$work/pipe" "$work/said"
(ulimit -f 8 && exec "$program" serve --listen 127.0.0.1:0 --quiet --record "$work/full.pcapng") >"$work/pipe" 2>"$work/said" &
server=$!
exec 3<"$work/pipe" 4<"$work/said"
read -r line <&3
port=${line#listening on 127.0.0.1:}
expect 0 '' play --quiet "$work/visit.lua" --peer "127.0.0.1:$port"
IFS= read -r line <&4
echo "$line" >"$work/line"
grep -qxE "$full" "$work/line" || complain "said: $line" serve
expect 0 '' play --quiet "$work/visit.lua" --peer "127.0.0.1:$port"
kill "$server"
wait "$server"
found=$?
[ $found -eq 3 ] || complain "exit $found instead of 3" serve
cat <&4 >"$work/rest"
[ ! -s "$work/rest" ] || complain "said it again: $(cat "$work/rest")" serve
whole "$work/line"

for command in 'play --record' 'synth --seed 1 -o'; do
    # shellcheck disable=SC2086 # two words
    limited $command "$work/full.pcapng" --quiet "$work/talk.lua" >"$work/out" 2>"$work/line"
    found=$?
    [ $found -eq 3 ] || complain "exit $found instead of 3" "$command"
    [ "$(wc -l <"$work/line")" -eq 1 ] || complain "not one line: $(cat "$work/line")" "$command"
    grep -qxE "$full" "$work/line" || complain "said: $(cat "$work/line")" "$command"
    whole "$work/line"
done

# A closed standard stream: no file of the program gets its number, and writing to it still fails.
closed() { # FOUND COMMAND...
    found=$1
    shift
    [ "$found" -eq 3 ] || complain "exit $found instead of 3 with a closed stream" "$1"
}
"$program" synth --seed 1 -o "$work/closed.pcapng" "$work/talk.lua" >&- 2>"$work/err"
closed $? synth
expect 0 '' check "$work/closed.pcapng"
"$program" load --count 5 >&- 2>"$work/err"
closed $? load
"$program" run --simulate --only "^mpa-crc-001\$" --quiet -o "$work/run" >/dev/null
"$program" report -f jsonl "$work/run" >/dev/full 2>"$work/err"
closed $? report
[ "$(wc -l <"$work/err")" -eq 1 ] || complain "not one line: $(cat "$work/err")" report
exit $failed
