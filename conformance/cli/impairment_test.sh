#!/bin/bash
# A conforming conversation has no findings, whatever the impairments of its capture; and if the capture lacks nothing, it has
# the same messages. The same over SCTP. Usage: impairment_test.sh WARPCHECK [RUNS [FIRST]]: the number of a run selects its
# script and its impairments
program=$(realpath "$1")
runs=${2:-40} first=${3:-1}
cd "$(dirname "$0")/../.." || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0 hidden=0

# Messages of many segments, and Reads in both directions; run without and with Markers.
cat >"$work/bulk.lua" <<'LUA'
local listener = listen{}
spawn(function()
  local c = listener:accept{markers = args.markers == 1}
  region{size = 65536, stag = 0x1000, fill = "abcdefg"}
  for i = 1, 4 do
    c:expect{{kind = "send"}, ignore = {"rdma_write", "read_request"}}
    c:send{data = ("r"):rep(i * 700)}
  end
  c:expect{{kind = "close"}, ignore = "read_request"}
end)
local c = connect{port = listener.port, markers = args.markers == 1}
for i = 1, 4 do
  step("round " .. i)
  c:write{stag = 0x1000, to = i * 100, data = ("w"):rep(i * 1500)}
  c:send{data = ("s"):rep(i * 900)}
  c:expect{{kind = "send"}}
  c:read{region = region{size = 20000}, size = 5000 + i, source_stag = 0x1000, source_to = 5}
  c:expect{{kind = "read_response"}}
end
c:close()
c:expect{{kind = "close"}}
LUA
scripts=("$work/bulk.lua --arg markers=0" "$work/bulk.lua --arg markers=1")
for name in rev1_tour extensions split crc_off send_invalidate; do
    scripts+=("captures/synth/$name.lua")
done
for name in generator/examples/*.lua; do
    case $name in
    */rping_* | */wrong_* | */terminate*) ;;                       # need a peer, or violate a requirement on purpose
    */startup_rev0*) ;;    # its Request violates a requirement on purpose and is rejected
    */startup_reject*) ;;  # sends after its Reject, which is not judged
    */startup_timeout*) ;; # has only startup frames, one incomplete: if the capture lacks the other, no iWARP is recognised
    *) scripts+=("$name") ;;
    esac
done
over_sctp=() # scripts that send nothing before MPA
for script in "${scripts[@]}"; do
    [[ $script == */startup_delayed* ]] || over_sctp+=("$script")
done

complain() {
    echo "FAILED: $*" >&2
    failed=1
}

one_of() { # prints a random one of the given words
    shift $((RANDOM % $#))
    printf '%s' "$1"
}

sometimes() { # sometimes N IMPAIRMENT: adds the impairment in N of ten runs
    [ $((RANDOM % 10)) -ge "$1" ] || impairment=$impairment,$2
}

# The messages of the connection, without frame numbers, which differ, and without "perhaps answered", which depends on whether
# a request was captured after the response to an earlier one.
messages() {
    sed -nE 's/ \([0-9]+ perhaps answered\)//; s/(continues the message of )?frame [0-9]+,? ?//g; s/^[0-9]+ \[[0-9]+\] (.*)/\1/p' "$1" | sort
}

# The option --extensions that a script requires by the comment "-- extensions: LIST".
extensions() {
    local list
    list=$(sed -n 's/^-- extensions: //p' "${1%% *}")
    [ -z "$list" ] || echo "--extensions $list"
}

# suffer SCRIPT LEAST: synthesizes the script with $impairment, and checks the capture. If $impairment is $before, the capture lacks
# nothing and has at least LEAST messages.
# shellcheck disable=SC2046,SC2086
suffer() {
    what="synth ${1/$work\/} --seed $run --impairment $impairment"
    "$program" synth --quiet $(extensions "$1") $1 --seed "$run" --impairment "$impairment" -o "$work/hard.pcapng" >"$work/out" 2>&1 ||
        complain "$what: $(cat "$work/out")"
    "$program" check --extensions all --decode "$work/hard.pcapng" >"$work/hard" 2>"$work/err"
    code=$?
    findings=$(tail -n 1 "$work/hard" | grep -oE '[1-9][0-9]* (error|warning|note)')
    [ -z "$findings" ] || complain "$what: $findings"
    if [ "$impairment" != "$before" ]; then
        # The capture may lack so much that no iWARP is recognised.
        case $code in 0 | 2) ;; 3) grep -q 'no iWARP stream found' "$work/err" || complain "$what: $(cat "$work/err")" ;; *) complain "$what: exit $code" ;; esac
        hidden=$((hidden + 1))
        return
    fi
    [ $code -eq 0 ] || complain "$what: exit $code: $(tail -n 2 "$work/hard")"
    "$program" synth --quiet $(extensions "$1") $1 -o "$work/easy.pcapng" >"$work/out" 2>&1 || complain "$1: $(cat "$work/out")"
    "$program" check --extensions all --decode "$work/easy.pcapng" >"$work/easy"
    [ "$(messages "$work/easy" | wc -l)" -ge "$2" ] || complain "$1: no messages"
    diff <(messages "$work/easy") <(messages "$work/hard") >"$work/difference" ||
        complain "$what: other messages: $(head -n 4 "$work/difference")"
}

# $script holds a script and its arguments: several words.
# shellcheck disable=SC2046,SC2086
for ((run = first; run < first + runs; run++)); do
    RANDOM=$run
    script=${scripts[RANDOM % ${#scripts[@]}]}
    impairment=acks=$(one_of 0 30 100)%
    for what in retransmit reorder duplicate overlap; do
        sometimes 5 "$what=$(one_of 1 5 20 50)%"
    done
    sometimes 3 "cross=$(one_of 5 50 100)%"
    segment="segment=1..$(one_of 1 3 50 1448 9000 65000)"
    [[ $impairment == *cross=* ]] || sometimes 6 "$segment"
    sometimes 3 wrap
    sometimes 3 "vlan=7"
    sometimes 3 ipv6
    before=$impairment
    # A single octet captured after its acknowledgement may belong to a keep-alive probe, so it is not judged.
    [[ $impairment != *cross=* ]] || sometimes 6 "$segment"
    sometimes 2 "loss=$(one_of 1 5 20 50)%"
    sometimes 2 "resets=$(one_of 1 20 100)%"
    sometimes 1 "snaplen=$(one_of 110 128 200 1000)"
    sometimes 2 "midstream=$(one_of 0 20 40 100 1000 5000)"
    sometimes 2 reuse
    sometimes 1 "direction=$(one_of initiator responder)"
    suffer "$script" 4
done

# The same over SCTP, with the impairments that SCTP supports.
# shellcheck disable=SC2046,SC2086
for ((run = first; run < first + runs; run++)); do
    RANDOM=$((run + 10000))
    script="${over_sctp[RANDOM % ${#over_sctp[@]}]} --sctp"
    impairment=duplicate=$(one_of 1 5 20)%
    for what in retransmit reorder; do
        sometimes 7 "$what=$(one_of 5 20 50)%"
    done
    sometimes 3 "vlan=7"
    sometimes 3 ipv6
    before=$impairment
    sometimes 2 "loss=$(one_of 1 5 20 50)%"
    sometimes 1 "snaplen=$(one_of 110 128 200 1000)"
    sometimes 2 "midstream=$(one_of 0 20 40 100 1000 5000)"
    sometimes 1 "direction=$(one_of initiator responder)"
    suffer "$script" 2 # Initiate and Reject
done

# Over SCTP the DDP Segments are the same; only FPDUs and startup frames have different headers.
segments() {
    messages "$1" | grep -E ' (octets?|no) of payload| qn=| stag=' |
        sed -E 's/ (ulpdu_length|ssn)=[0-9]+//; s/, (pad [0-9]|[0-9]+ markers?|CRC not in use|DDP Stream 0, .*)//g' | sort
}
# shellcheck disable=SC2046,SC2086
for script in "${over_sctp[@]}"; do
    for way in '' --sctp; do
        "$program" synth --quiet $(extensions "$script") $script $way -o "$work/$way.pcapng" >"$work/out" 2>&1 || complain "synth $script $way: $(cat "$work/out")"
        "$program" check --extensions all --decode "$work/$way.pcapng" >"$work/way$way" || complain "synth $script $way: $(tail -n 2 "$work/way$way")"
    done
    case $script in */startup_*) continue ;; esac # the startup over SCTP is different
    [ "$(segments "$work/way" | wc -l)" -ge 2 ] || complain "$script: no segments"
    diff <(segments "$work/way") <(segments "$work/way--sctp") >"$work/difference" ||
        complain "synth $script --sctp: other segments: $(head -n 4 "$work/difference")"
done
if [ $hidden -eq 0 ] || [ $hidden -eq $((2 * runs)) ]; then complain "$hidden of $((2 * runs)) runs hide something"; fi
exit $failed
