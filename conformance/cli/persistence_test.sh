#!/bin/bash
# What was flushed is in the file of `serve --file` after the process was killed; what was not is lost. Usage: persistence_test.sh WARPCHECK
# shellcheck source=conformance/cli/expect.sh
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 99

cat >write.lua <<'END'
local c = connect{}
c:write{stag = args.stag, to = args.to, data = args.text}
-- The Read Response shows that the Write is placed.
local sink = region{size = #args.text}
c:read{region = sink, source_stag = args.stag, source_to = args.to, size = #args.text}
c:expect{{kind = "read_response"}}
check(sink:get(0, #args.text) == args.text, "the Write is placed")
if args.flush then
  c:flush{stag = args.stag, to = args.to, length = #args.text}
  c:expect{{kind = "flush_response"}}
end
c:close()
c:expect{{kind = "close", how = "fin"}}
END
cat >read.lua <<'END'
local c = connect{}
c:verify{stag = args.stag, to = args.to, length = #args.text, hash = hash("sha256", args.text)}
c:expect{{kind = "verify_response", data = hash("sha256", args.text)}}
local sink = region{size = #args.text}
c:read{region = sink, source_stag = args.stag, source_to = args.to, size = #args.text}
c:expect{{kind = "read_response"}}
check(sink:get(0, #args.text) == args.text, "the region has the text")
c:close()
c:expect{{kind = "close", how = "fin"}}
END
# The record is flushed before the marker is placed, and the marker after that: the marker tells that the record is whole.
cat >commit.lua <<'END'
local c = connect{}
c:write{stag = args.stag, to = args.to, data = args.text}
c:flush{stag = args.stag, to = args.to, length = #args.text}
c:atomic_write{stag = args.stag, to = args.to + 4096, data = 7}
c:expect{{kind = "flush_response"}}
c:expect{{kind = "atomic_write_response"}}
if args.flush then
  c:flush{stag = args.stag, to = args.to + 4096, length = 8}
  c:expect{{kind = "flush_response"}}
end
c:close()
c:expect{{kind = "close", how = "fin"}}
END

begin() {
    begin_serve --file region.bin
    [[ $region == *", 65536 octets, verified by sha256, flushed to region.bin" ]] || complain "said $region" serve
}
play() {
    local script=$1
    shift
    expect 0 '' play "$script" --peer "127.0.0.1:$port" --arg "stag=$(region_stag)" --arg to=0x10000 "$@"
}
crash() {
    kill -KILL "$server"
    wait "$server" 2>/dev/null
    exec 3<&-
}
# file_has OFFSET LENGTH HEXADECIMAL
file_has() {
    local found
    found=$(od -An -tx1 -j "$1" -N "$2" region.bin | tr -d ' \n')
    [ "$found" = "$3" ] || complain "the file has $found at $1, not $3" serve --file
}
# The octets of a number are in the order of the host.
marker_is() {
    local found
    found=$(od -An -tu8 -j 4096 -N 8 region.bin | tr -d ' \n')
    [ "$found" = "$1" ] || complain "the marker is $found, not $1" serve --file
}

begin
file_has 0 4 00000000
play write.lua --arg text=first --arg flush=1
file_has 0 5 6669727374
play write.lua --arg text=other # no Flush
file_has 0 5 6669727374
crash

begin
play read.lua --arg text=first
play commit.lua --arg text=third
crash

begin
play read.lua --arg text=third
marker_is 0 # it was not flushed
play commit.lua --arg text=fourth --arg flush=1
crash

file_has 0 6 666f75727468
marker_is 7
begin
play read.lua --arg text=fourth
# Two references with one file would overwrite what the other has flushed.
expect 3 'warpcheck: region.bin: in use by another process' serve --listen 127.0.0.1:0 --file region.bin
end_serve INT

# The size is that of the file, or that of --region: a larger one extends it.
head -c 1000 /dev/urandom >small.bin
begin_serve --file small.bin
[[ $region == *", 1000 octets, "* ]] || complain "said $region" serve
end_serve TERM
cp small.bin before.bin
begin_serve --file small.bin --region 2000
[[ $region == *", 2000 octets, "* ]] || complain "said $region" serve
end_serve TERM
[ "$(stat -c %s small.bin)" -eq 2000 ] || complain 'does not extend the file' serve --region
cmp -n 1000 small.bin before.bin || complain 'changes the file' serve --region
expect 3 "warpcheck: $work: Is a directory" serve --listen 127.0.0.1:0 --file "$work"
[ ! -s "$work/out" ] || complain "says that it listens: $(cat "$work/out")" serve --file
expect 3 'warpcheck: /dev/null: not a regular file' serve --listen 127.0.0.1:0 --file /dev/null
expect 3 'warpcheck: /nonexistent/file: No such file or directory' serve --listen 127.0.0.1:0 --file /nonexistent/file
exit "$failed"
