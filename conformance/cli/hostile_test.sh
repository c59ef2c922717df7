#!/bin/bash
# `load` with misbehaving peers: it must print one line, without a long wait. Usage: hostile_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
mkfifo "$work/pipe"

# The --timeout of load, in seconds: the time in the pattern, or else more than load ever needs.
patience() {
    case $1 in
    *'within 500 ms'*) echo 0.5 ;;
    *'within 5000 ms'* | *'wrong payload'*) echo 5 ;; # then load stops waiting for the other responses
    *) echo 60 ;;
    esac
}

# meets CODE 'PATTERN' LUA: the peer runs LUA, in which `l` is the listener; load exits with CODE, and its line on stderr (with
# code 1: one of its errors) matches the whole pattern.
meets() {
    cat >"$work/peer.lua" <<END
local l = listen{}
log(l.port)
$3
pause(60)
END
    "$program" play "$work/peer.lua" >"$work/pipe" 2>"$work/played" &
    peer=$!
    exec 3<"$work/pipe"
    read -r line <&3
    cat <&3 >"$work/conversation" &
    reader=$!
    "$program" load --peer "127.0.0.1:${line##* }" --region 0x100,0,65536 --mix read,write,send --size 100 --count 10 \
        --timeout "$(patience "$2")" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    kill "$peer"
    wait "$peer"
    exec 3<&-
    wait "$reader" # otherwise it may read from the next peer
    [ $found -eq "$1" ] || complain "exit $found instead of $1: $3" load
    if [ "$1" -eq 1 ]; then
        grep -qE "^ *1 +$2$" "$work/out" || complain "no '$2' in: $(cat "$work/out")" load
        [ ! -s "$work/err" ] || complain "unexpected: $(cat "$work/err")" load
    else
        [ "$(wc -l <"$work/err")" -eq 1 ] || complain "not one line: $(cat "$work/err")" load
        grep -qxE "warpcheck: $2" "$work/err" || complain "said: $(cat "$work/err")" load
    fi
    grep -v 'interrupted' "$work/played" && complain "the peer: $(cat "$work/played")" load
}

by_hand='local c = l:tcp{} c:expect{{kind = "request"}}'
meets 3 'fault of the peer: not the key of an MPA Reply Frame' "$by_hand c:octets(('x'):rep(100))"
meets 3 'fault of the peer: not the key of an MPA Reply Frame' "$by_hand c:request{}"
meets 3 'fault of the peer: revision not supported' "$by_hand c:reply{rev = 9}"
meets 3 'fault of the peer: PD_Length above 512' "$by_hand c:reply{pd_length = 0xffff}"
meets 3 'the peer rejects the connection' "$by_hand c:reply{r = 1}"
meets 3 'no answer within 500 ms' "$by_hand c:reply{cut = 19}"
meets 3 'not connected: 127\.0\.0\.1:[0-9]+: closed' "$by_hand c:close()"
meets 3 'not connected: 127\.0\.0\.1:[0-9]+: connection reset by peer' "$by_hand c:reset()"

# In Full Operation: the peer misbehaves after the first octets of load.
full='local c = l:accept{auto = {responses = false, terminate = false, close = false}} c:receive{}'
meets 3 'fault of the peer: 2/0/02 MPA CRC Error.*' "$full c:fpdu{data = 'x', crc_flip = 1}"
meets 3 'no answer within 500 ms' "$full c:octets(('\\255'):rep(200))"
meets 3 'Terminate from the peer: 0/0/00 Local Catastrophic Error' "$full c:terminate{layer = 0, etype = 0, code = 0}"
meets 3 'fault of the peer: 1/1/00 Invalid STag' \
    "$full c:message{kind = 'read_response', stag = 1, to = 0, data = ('x'):rep(100)}"
meets 3 'an unexpected message' "$full c:send{data = ('x'):rep(100)}"
meets 3 'connection lost: 127\.0\.0\.1:[0-9]+: connection reset by peer' "$full c:reset()"
meets 3 'no answer within 500 ms' "$full"

# After load has measured its first operations.
begun='region{stag = 0x100, size = 65536, rights = "rw"} local c = l:accept{}
c:expect{{kind = "send"}, ignore = {"rdma_write", "read_request"}}'
meets 1 'Terminate from the peer: 0/0/00 Local Catastrophic Error' "$begun c:terminate{layer = 0, etype = 0, code = 0}"
meets 1 'fault of the peer: 1/2/03 .*' "$begun c:fpdu{kind = 'send', msn = 77}"
meets 1 'send: wrong payload' "$begun c:send{data = ('x'):rep(100)}"
meets 1 "no echo within 5000 ms: .*" "$begun"
exit $failed
