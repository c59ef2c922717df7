#!/bin/sh
# warpcheck watch on the loopback interface and on pipes. Usage: watch_test.sh WARPCHECK
# Exit code 77: capturing is not permitted here.
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
captures=$here/../../captures

expect 3 'warpcheck watch: no interface given: -i NAME' watch
expect 3 'warpcheck: nodevice0: .*' watch -i nodevice0
mkfifo "$work/f"
(cd "$work" && "$program" watch -i f >out 2>err)
grep -qx 'warpcheck: f: no such device; a path has a slash: ./f for the file of this name' "$work/err" || complain "$(cat "$work/err")" watch
expect 3 'warpcheck watch: --format takes .*, not junit' watch -i lo --format junit
expect 3 'warpcheck watch: --duration takes seconds .*, not never' watch -i lo --duration never

# ---- pipes: the same judgement as that of the file ----

# A connection of a pipe may end before an older one.
said() { sed -E 's/"file":"[^"]*",?//g; s/"last_file":"[^"]*",//' "$1" | grep -vE '"type":"(summary|watch)"' | sort; }
for capture in causes/crc_zero.pcap causes/bounds.pcap upper/rpc.pcap siw/play_rping_client.pcapng; do
    "$program" check --format jsonl "$captures/$capture" >"$work/checked" 2>"$work/err"
    checked=$?
    "$program" watch -i - --format jsonl <"$captures/$capture" >"$work/watched" 2>"$work/err"
    watched=$?
    [ $checked -eq $watched ] || complain "ends with $watched, check with $checked" watch "$capture"
    said "$work/checked" >"$work/checked.said"
    said "$work/watched" >"$work/watched.said"
    [ -s "$work/checked.said" ] || complain 'nothing judged' check "$capture"
    cmp -s "$work/checked.said" "$work/watched.said" || complain 'judges a pipe otherwise than check the file' watch "$capture"
done

# ---- a ring of files: check them, and find the same ----

expect 3 'warpcheck watch: --ring takes a size .*, not 100M' watch -i lo --ring 100M --out "$work/ring"
expect 3 'warpcheck watch: --ring takes a size .*, not 1K,5' watch -i lo --ring 1K,5 --out "$work/ring"
expect 3 'warpcheck watch: --ring needs --out DIR' watch -i lo --ring 1M,5
expect 3 'warpcheck watch: --out needs --ring SIZE,N' watch -i lo --out "$work/ring"
expect 3 'warpcheck watch: --keep-on needs --ring SIZE,N' watch -i lo --keep-on finding
expect 3 'warpcheck watch: --keep-on takes finding, not loss' watch -i lo --ring 1M,5 --out "$work/ring" --keep-on loss
expect 3 'warpcheck: /dev/null/ring: Not a directory' watch -i - --ring 1M,5 --out /dev/null/ring

unnumbered() { said "$1" | sed -E 's/"(frame|last_frame|first_frame|cause_frame)":[0-9]+,?//g; s/"(context|contexts)":\[[^]]*\],?//g'; }
for capture in causes/bounds.pcap siw/siw2siw_read_bw_crc.pcap oddities/badcrc.pcap; do
    "$program" check --format jsonl "$captures/$capture" >"$work/checked"
    "$program" watch -i - --ring 4K,9 --out "$work/ring" <"$captures/$capture" >"$work/out" 2>"$work/err"
    "$program" check --format jsonl "$work/ring"/*.pcapng >"$work/ringed"
    unnumbered "$work/checked" >"$work/checked.said"
    unnumbered "$work/ringed" >"$work/ringed.said"
    [ -s "$work/checked.said" ] || complain 'nothing judged' check "$capture"
    diff "$work/checked.said" "$work/ringed.said" >&2 || complain 'the ring gives other findings' watch "$capture"
    ls "$work/ring" >>"$work/names"
    find "$work/ring" -size +4096c | grep -q . && complain 'a file is too large' watch "$capture"
    rm -r "$work/ring"
done
[ "$(wc -l <"$work/names")" -gt 6 ] || complain "only these files: $(cat "$work/names")" watch
# A comment is what check --extract writes.
"$program" watch -i - --ring 1M,5 --keep-on finding --out "$work/ring" <"$captures/oddities/badcrc.pcap" >"$work/out" 2>"$work/err"
"$program" check --extract "$work/extract" "$captures/oddities/badcrc.pcap" >"$work/out" 2>"$work/err"
comments() { strings -n 10 "$1" | grep -o '\(error\|warning\|note\) [A-Z].*'; }
comments "$work/ring"/*.pcapng >"$work/ring.comments"
comments "$work/extract"/*.pcapng >"$work/extract.comments"
[ -s "$work/ring.comments" ] || complain 'no comment' watch
diff "$work/ring.comments" "$work/extract.comments" >&2 || complain 'other comments than check --extract' watch
# A disk that is full after 4,096 octets
rm -r "$work/ring"
(ulimit -f 8 && exec "$program" watch -i - --ring 1M,5 --out "$work/ring" <"$captures/siw/siw2siw_read_bw_crc.pcap") >"$work/out" 2>"$work/err"
found=$?
[ $found -eq 3 ] || complain "exit $found instead of 3" watch --ring
[ "$(wc -l <"$work/err")" -eq 1 ] || complain "not one line: $(cat "$work/err")" watch --ring
grep -qE 'File too large; recorded up to frame [1-9]' "$work/err" || complain "said: $(cat "$work/err")" watch --ring
says 'conforms'
"$program" check "$work/ring"/*.pcapng >"$work/out" || [ $? -lt 3 ] || complain 'no capture' watch --ring

# ---- the page: iw_live_http_test and iw_live_http_browser_test ask for it ----

expect 3 'warpcheck watch: --http takes a port .*, not x' watch -i lo --http x
expect 3 'warpcheck watch: --http goes with --format text or decode' watch -i lo --http 0 --format jsonl
# serve_page FORMAT: the report is the same with a page
serve_page() {
    "$program" watch -i - --format "$1" <"$captures/oddities/badcrc.pcap" >"$work/without"
    "$program" watch -i - --format "$1" --http 0 <"$captures/oddities/badcrc.pcap" >"$work/out" 2>"$work/err"
    if grep -q 'this build has no web server' "$work/err"; then return; fi
    says '^page: http://127\.0\.0\.1:[1-9][0-9]*/$'
    grep -v '^page: ' "$work/out" | cmp -s - "$work/without" || complain 'reports otherwise' watch --http 0 --format "$1"
}
serve_page text
serve_page decode

mkfifo "$work/fifo"
head -c 100 "$captures/causes/crc_zero.pcap" >"$work/fifo" &
expect 3 "warpcheck: .*/fifo: .*truncated.*" watch -i "$work/fifo"
expect 3 'warpcheck: /dev/null/x: Not a directory' watch -i /dev/null/x

# ---- loopback ----

"$program" watch -i lo --duration 0.001 >"$work/out" 2>"$work/err"
if grep -q 'no permission' "$work/err"; then
    cat "$work/err"
    [ "$failed" -eq 0 ] || exit 1
    exit 77
fi
expect 3 'warpcheck: lo: .*' watch -i lo --filter 'tcp and and'
expect 3 'warpcheck: lo: no iWARP stream found in 0 frames' watch -i lo --filter 'tcp port 1' --duration 0.1

# begin_watch ARGUMENT...: starts `watch`, whose process is $watch, and waits until it captures. Its output is descriptor 4.
begin_watch() {
    mkfifo "$work/watching"
    "$program" watch -i lo "$@" >"$work/watching" 2>"$work/watch.err" &
    watch=$!
    exec 4<"$work/watching"
    read -r line <&4
    rm "$work/watching"
}
# end_watch CODE: stops it, and keeps what it says in $work/out
end_watch() {
    kill -INT "$watch"
    cat <&4 >"$work/out"
    exec 4<&-
    wait "$watch"
    found=$?
    [ $found -eq "$1" ] || complain "exit $found instead of $1: $(cat "$work/watch.err")" watch
}
load() { # ARGUMENT...
    "$program" load --peer "127.0.0.1:$port" --region "$(region_stag),$(region_to),65536" "$@" >"$work/load" 2>&1
}
region_to() { echo "$region" | sed 's/.*TO \(0x[0-9a-f]*\),.*/\1/'; }

begin_serve
expect 3 "warpcheck: --http: (127.0.0.1:$port: Address already in use|this build has no web server.*)" watch -i - --http "$port"
begin_watch --filter "tcp port $port"
# a bridge or a mirror port gives only such a capture the packets between other hosts (IFF_PROMISC)
[ $(($(cat /sys/class/net/lo/flags) & 0x100)) -ne 0 ] || complain 'the interface is not promiscuous' watch
load --mix write,read --count 20 || complain "$(cat "$work/load")" load
end_watch 0
says 'conforms'
begin_watch --filter "tcp port $port" --format decode
load --mix write --count 1
end_watch 0
says 'RDMA Write'
end_serve TERM

# a connection is reported soon after both sides have closed it, not at the end of the watch
begin_serve
begin_watch --filter "tcp port $port" --format jsonl
load --mix write --count 1
line=$(timeout 60 sed -u 1q <&4)
case $line in '{"type":"stream",'*'"verdict":"conforms"'*) ;; *) complain "said first: $line" watch ;; esac
end_watch 0
end_serve TERM

# a finding comes while the connection is open
begin_serve --defect crc-wrong --no-crc
begin_watch --filter "tcp port $port" --format jsonl
load --mix read --count 1
read -r line <&4
case $line in '{"type":"finding",'*'"requirement":"RFC5044-4.4-11"'*) ;; *) complain "said first: $line" watch ;; esac
end_watch 1
says '"type":"summary".*"verdict":"violates"'
end_serve TERM
exit "$failed"
