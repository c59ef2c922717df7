#!/bin/sh
# warpcheck relay between the embedded peers. Usage: relay_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

expect 3 'warpcheck relay: no device given: --to HOST:PORT' relay
expect 3 'warpcheck relay: --to takes .*, not here' relay --to here
expect 3 'warpcheck relay: --format takes .*, not junit' relay --to 127.0.0.1:1 --format junit
expect 3 'warpcheck: 192.0.2.1:1: .*' relay --to 127.0.0.1:1 --listen 192.0.2.1:1

expect 3 'warpcheck relay: --impairment: unknown impairment lose .*' relay --to 127.0.0.1:1 --impairment lose
expect 3 'warpcheck relay: --repair takes a list of length, crc and markers, not pad' relay --to 127.0.0.1:1 --repair pad

# begin_relay ARGUMENT...: starts the relay to the device at $port, whose process is $relay, and waits until it listens at
# $relay_port. Its output is descriptor 4.
begin_relay() {
    mkfifo "$work/relaying"
    "$program" relay --listen 127.0.0.1:0 --to "127.0.0.1:$port" "$@" >"$work/relaying" 2>"$work/relay.err" &
    relay=$!
    exec 4<"$work/relaying"
    read -r line <&4
    rm "$work/relaying"
    case $line in
    '{'*) relay_port=$(echo "$line" | sed 's/.*"port":\([0-9]*\),.*/\1/') ;;
    *) relay_port=$(echo "$line" | sed 's/relaying 127.0.0.1:\([0-9]*\) to .*/\1/') ;;
    esac
}
# relay_ends CODE: waits for its end, and keeps what it says in $work/out; end_relay CODE: stops it first
relay_ends() {
    cat <&4 >"$work/out"
    exec 4<&-
    wait "$relay"
    found=$?
    [ $found -eq "$1" ] || complain "exit $found instead of $1: $(cat "$work/relay.err" "$work/out")" relay
}
end_relay() {
    kill -INT "$relay"
    relay_ends "$1"
}
load() { # ARGUMENT...
    "$program" load --peer "127.0.0.1:$relay_port" --region "$(region_stag),$(region_to),65536" "$@" >"$work/load" 2>&1
}
region_to() { echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/'; }

# ---- both conform; each is judged by its own connection, which the capture also has ----

begin_serve
begin_relay --record "$work/both.pcapng" --format jsonl
load --mix write,read --count 20 || complain "$(cat "$work/load")" load
end_relay 0
says '"type":"relay","connection":1,"event":"opened"'
says '"type":"relay","connection":1,"event":"ended"'
says '"type":"summary".*"streams":2.*"verdict":"conforms"'
expect 0 '' check "$work/both.pcapng" --format jsonl
says "\"responder\":{\"address\":\"127.0.0.1:$relay_port\""
says "\"responder\":{\"address\":\"127.0.0.1:$port\""

# ---- without a judgement, without a copy ----

begin_relay --no-judge
load --mix write,read --count 20 || complain "$(cat "$work/load")" load
end_relay 0
says '^\[1\] opened: 127.0.0.1:[0-9]+, to the device from 127.0.0.1:[0-9]+$'
says '^\[1\] ended: '
end_serve TERM

# ---- --drain: after the signal, the open connection still ends as its peers want ----

begin_serve
begin_relay --format jsonl --drain 60
mkfifo "$work/held"
printf 'local c = connect{}\nlog("open")\npause(0.5)\nc:send{data = "late"}\nc:close()\nc:expect{{kind = "close", how = "fin"}}\n' \
    >"$work/late.lua"
"$program" play "$work/late.lua" --peer "127.0.0.1:$relay_port" >"$work/held" 2>&1 &
late=$!
exec 5<"$work/held"
while read -r line <&5; do
    case $line in *open*) break ;; esac
done
kill -INT "$relay"
wait "$late" || complain 'the connection did not live to its end' play
exec 5<&-
relay_ends 0 # a second signal would end it at once
says '"event":"ended"'
end_serve TERM

# ---- a violation is the device's, and only once ----

begin_serve --defect crc-wrong --no-crc
begin_relay --format jsonl --quiet
load --mix read --count 1
end_relay 1
grep '"type":"finding"' "$work/out" | grep -v '"waived":{' >"$work/counted"
grep -q '"requirement":"RFC5044-4.4-11"' "$work/counted" || complain 'the device is not to blame' relay
grep -v "\"address\":\"127.0.0.1:$port\"" "$work/counted" && complain 'counted against another side than the device' relay
grep '"waived":{' "$work/out" | grep -q 'sent by the relay: the device is judged by its own connection' ||
    complain 'the relay is to blame' relay
# the same for a device that has a name, in each of its connections
begin_relay --to "localhost:$port" --format jsonl --quiet
load --mix read --count 1
load --mix read --count 1
end_relay 1
grep '"type":"finding"' "$work/out" | grep -v '"waived":{' >"$work/counted"
[ "$(grep -c '"requirement":"RFC5044-4.4-11".*"peer":"device"' "$work/counted")" -ge 2 ] || complain 'the device is not to blame' relay
grep -v '"peer":"device"' "$work/counted" && complain 'counted against another peer than the device' relay
end_serve TERM

# ---- impairments: the device's Read Response arrives with a wrong CRC, which the initiator finds ----

begin_serve
begin_relay --impairment at=rdma-read-response,flip=crc:3:1
load --mix read --count 1 && complain 'did not notice the wrong CRC' load
grep -q 'CRC' "$work/load" || complain "$(cat "$work/load")" load
end_relay 2
says '^\[1\] impaired: at=rdma-read-response,flip=crc:3:1 at octet [0-9]+ of the responder$'
says 'waived: sent by the relay: the device is judged by its own connection'
begin_relay --impairment at=startup,flip=header:0:32,direction=initiator --format jsonl --no-judge
load --mix read --count 1 && complain 'did not notice the wrong Key' load
end_relay 0
says '"event":"impaired".*"rule":"at=startup,flip=header:0:32,direction=initiator","direction":"initiator","offset":0'
end_serve TERM

# ---- a device that answers the Request by a Request: the startup fails, and neither side is to blame ----

cat >"$work/request.lua" <<'END'
local listener = listen{}
log("port " .. listener.port)
local c = listener:tcp{}
c:expect{{kind = "request"}}
c:request{}
c:close()
END
mkfifo "$work/asks"
"$program" play "$work/request.lua" >"$work/asks" 2>&1 &
device=$!
exec 3<"$work/asks"
port=
while [ -z "$port" ] && read -r line <&3; do
    port=$(echo "$line" | sed -n 's/.*port \([0-9]*\).*/\1/p')
done
begin_relay --format jsonl
load --mix read --count 1 && complain 'did not notice the Request' load
wait "$device"
exec 3<&-
end_relay 2
says '"type":"summary".*"unjudged":{"startup":4}.*"verdict":"not fully judged"'
grep '"type":"finding"' "$work/out" | grep -v '"waived":{' && complain 'somebody is to blame' relay

# ---- IPv6 ----

if [ -s /proc/net/if_inet6 ]; then
    mkfifo "$work/pipe"
    "$program" serve --listen '[::1]:0' --quiet >"$work/pipe" 2>"$work/serve.err" &
    server=$!
    exec 3<"$work/pipe"
    read -r line <&3
    port=${line##*:}
    read -r region <&3
    rm "$work/pipe"
    mkfifo "$work/relaying"
    "$program" relay --listen '[::1]:0' --to "[::1]:$port" --record "$work/six.pcapng" >"$work/relaying" 2>"$work/relay.err" &
    relay=$!
    exec 4<"$work/relaying"
    read -r line <&4
    rm "$work/relaying"
    relay_port=$(echo "$line" | sed "s/^relaying \[::1\]:\([0-9]*\) to \[::1\]:$port$/\1/")
    "$program" load --peer "[::1]:$relay_port" --region "$(region_stag),$(region_to),65536" --mix write,read --count 20 \
        >"$work/load" 2>&1 || complain "$(cat "$work/load")" load
    end_relay 0
    says '^\[1\] opened: \[::1\]:[0-9]+, to the device from \[::1\]:[0-9]+$'
    expect 0 '' check "$work/six.pcapng" --format jsonl
    says "\"responder\":{\"address\":\"\[::1\]:$port\""
    end_serve TERM
fi

# ---- no device ----

begin_relay --no-judge
load --mix read --count 1 && complain 'connected to nothing' load
end_relay 0
says "^\[1\] refused: 127.0.0.1:[0-9]+: 127.0.0.1:$port: connection refused\$"
exit "$failed"
