#!/bin/sh
# warpcheck load. Usage: load_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

expect 0 '' load --count 500 --size 100,3K --connections 3
says '^3 of 3 connections to 127\.0\.0\.1:[0-9]+ in .*, depth 8, CRC on; ran for '
says '^write +350 '
says '^verified: [0-9]+ Writes read back, 100 Reads, 50 Sends echoed; 0 wrong$'
says '^errors: none$'
expect 0 '' load --json --count 100 --mix send --rev 1 --no-crc --markers --depth 20 --rate 1000
says '^\{"type":"load",.*"crc":false,.*"operations":\{"send":\{"count":100,"octets":409600,"verified":100,.*"p999_ns":.*"errors":\[\]\}$'
expect 0 '' load --count 300 --mix atomic,flush,write --size 10 --connections 2
says '^atomic +100 '
says '^flush +100 '
expect 0 '' load --count 300 --mix verify,atomic_write --size 10,5K --connections 2
says '^atomic_write +150 '
says '^verified: 150 hashes, [0-9]+ Atomic Writes read back; 0 wrong$'
expect 3 "warpcheck load: --mix: unknown operation 'frob': there are write, read, send, atomic, flush, verify and atomic_write" load --mix frob=1
expect 3 'warpcheck load: --size takes up to 16 sizes of 0 to 64M octets with commas between, not 4k' load --size 4k
expect 3 'warpcheck load: --depth takes a number from 1 to 4096, not 0' load --depth 0
expect 3 'warpcheck load: --duration takes a number of seconds, not x' load --duration x
expect 3 'warpcheck load: --region takes STAG,TO,OCTETS, not 1,2' load --region 1,2
expect 3 'warpcheck load: --region goes with --peer' load --region 1,2,3
expect 3 "warpcheck load: these Reads and Writes need 40960 octets of memory: give --region STAG,TO,OCTETS, as 'serve' prints it" load --peer 127.0.0.1:1 --region 1,0,40959
expect 3 'warpcheck: not connected: 127.0.0.1:1: connection refused' load --peer 127.0.0.1:1 --mix send
begin_serve --echo --region 1000000 --record "$work/loaded.pcapng"
echo "$region" | grep -qE ', 1000000 octets, verified by sha256$' || complain "said '$region'" serve --region
expect 0 '' load --peer 127.0.0.1:"$port" --region "$(region_stag),0x10000,1000000" --count 100 --connections 2 --aligned
expect 1 '' load --peer 127.0.0.1:"$port" --region 0x101,0x10000,1000000 --count 100 --mix write
says '^ +1  Terminate from the peer: 1/1/00 Invalid STag$'
end_serve TERM
expect 0 '' check "$work/loaded.pcapng"
says '^3 iWARP streams,'
script -qec "'$program' load --duration 2" /dev/null >"$work/out" 2>&1
says '[0-9] s: [0-9]+ operations/s, [0-9.]+ MiB/s, 0 errors'
# after SIGINT, outstanding operations are completed and reported
timeout --foreground --preserve-status -s INT 2 "$program" load --duration 100 >"$work/out" 2>"$work/err" </dev/null ||
    complain "exit code after SIGINT: $(cat "$work/err")" load
says '^errors: none$'
# a peer that accepts no connection: its backlog is full. It ends with this script, or when descriptor 4 is closed.
mkfifo "$work/port" "$work/held"
python3 -c '
import socket, sys
full = socket.create_server(("127.0.0.1", 0), backlog=0)
held = socket.create_connection(full.getsockname())
print(full.getsockname()[1], flush=True)
sys.stdin.read()' <"$work/held" >"$work/port" &
silent=$!
exec 4>"$work/held"
read -r full <"$work/port"
timeout --foreground --preserve-status -s INT 2 "$program" load --peer "127.0.0.1:$full" --mix send >"$work/out" 2>"$work/err" </dev/null
[ $? -eq 3 ] || complain "exit code after SIGINT: $(cat "$work/out")" load
grep -qx 'warpcheck: interrupted before the first operation: 0 of 1 connection open' "$work/err" || complain "said $(cat "$work/err")" load
exec 4>&-
wait "$silent"

exit $failed
