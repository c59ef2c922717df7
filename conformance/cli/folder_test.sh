#!/bin/sh
# warpcheck run: the folder of the results, and the limit of the evidence of a case. Usage: folder_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
cd "$work" || exit 99
crc='^mpa-crc-001$'

# Each run has a folder of its own; the link is to the newest.
stamp='20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9](-[0-5][0-9]){2}'
expect 0 '' run --simulate --only "$crc"
first=$(readlink results/latest)
echo "$first" | grep -qxE "$stamp" || complain "the link is to '$first'" run
now=$(date -u +%Y-%m-%dT%H)
case $first in "$now"* | "$(date -u -d '1 minute ago' +%Y-%m-%dT%H)"*) ;; *) complain "$first is not the time in UTC, $now" run ;; esac
for _ in 1 2 3; do # some of them begin in the same second
    expect 0 '' run --simulate --only "$crc"
done
[ "$(find results -mindepth 1 -maxdepth 1 -type d | grep -cE "/$stamp(-[0-9]+)?\$")" -eq 4 ] || complain "has $(ls results)" run
[ "$(readlink results/latest)" != "$first" ] || complain 'the link is to the first run' run
grep -q '"type":"summary"' results/latest/results.jsonl || complain 'no results at the link' run
grep -q "\"file\":\"results/$first/mpa-crc-001.pcapng\"" "results/$first/results.jsonl" || complain 'the capture is elsewhere' run
expect 0 '' run --resume results/latest
expect 0 '' report results/latest
rm results/latest && mkdir results/latest # not ours: it stays
expect 0 '' run --simulate --only "$crc"
[ ! -L results/latest ] || complain 'has replaced a folder' run
expect 0 '' run --simulate --only "$crc" --no-out

# A folder with results is not overwritten.
expect 0 '' run --simulate --only "$crc" --out mine
cp mine/results.jsonl kept
expect 3 'warpcheck: mine has results: .* --force, .* --resume mine' run --simulate --only '^mpa-crc-002$' --out mine
cmp -s kept mine/results.jsonl || complain 'the results were changed' run --out mine
expect 0 '' run --simulate --only '^mpa-crc-002$' --out mine --force
! cmp -s kept mine/results.jsonl || complain 'the results were kept' run --out mine --force
expect 0 '' run --resume mine
mkdir empty
expect 0 '' run --simulate --only "$crc" --out empty

# A flood: the capture and the log of a case are limited, but every frame keeps its number, and the frames that matter are whole.
mkdir cases
cat >cases/flood.lua <<'LUA'
return {{id = "flood-001", title = "one", requirements = {"RFC5044-4.1-02"}, role = "responder", tier = "agent", run = function(dut)
  local r = dut:region{size = 30000, rights = "w"}
  local c = dut:connect{}
  for i = 1, 300 do
    local odd = i == 150 -- the PAD of this FPDU is not zero
    c:write{stag = r.stag, to = r.to, data = ("x"):rep(odd and 3 or 30000), pad_value = odd and 1 or nil}
    if i % 10 == 0 then c:read{sink_stag = 1, source_stag = 1, size = 0} c:expect{{kind = "read_response"}} end
  end
  c:close()
end}}
LUA
cat >frames.py <<'PYTHON'
import struct, sys
data, at, whole = open(sys.argv[1], "rb").read(), 0, []
while at < len(data):
    kind, length = struct.unpack_from(">II", data, at)
    assert length % 4 == 0 and data[at + length - 4:at + length] == data[at + 4:at + 8], at
    if kind == 6:
        captured, octets = struct.unpack_from(">II", data, at + 20)
        whole.append(captured == octets)
    at += length
assert at == len(data)
frame = int(sys.argv[2])
print(len(data), len(whole), whole.count(False), int(whole[0]), int(whole[-1]), int(whole[frame - 1]), int(whole[frame]))
PYTHON
expect 0 '' run --simulate --cases cases --evidence-limit 0 --out large
frame=$(grep -B 3 "! .*PAD" large/flood-001.log | sed -n "s/.*initiator  frame \([0-9]*\): .*/\1/p" | tail -n 1)
read -r octets frames shortened first last odd next <<END
$(python3 frames.py large/flood-001.pcapng "$frame")
END
all=$frames
[ "$octets" -gt 9000000 ] || complain "$octets octets" run --evidence-limit 0
[ "$shortened" -eq 0 ] || complain "$octets octets, $shortened of $frames frames shortened" run --evidence-limit 0
expect 0 '' run --simulate --cases cases --evidence-limit 4 --out bounded
read -r octets frames shortened first last odd next <<END
$(python3 frames.py bounded/flood-001.pcapng "$frame")
END
[ "$octets" -lt 4300000 ] || complain "$octets octets" run --evidence-limit 4
[ "$frames" -eq "$all" ] || complain "$frames frames instead of $all" run --evidence-limit 4
[ "$first$last$odd$next" = 1110 ] || complain "frames whole: first, last, odd, next: $first$last$odd$next" run --evidence-limit 4
grep -q "\"left_out\":{\"frames_shortened\":$shortened,\"frames_missing\":0,\"log_lines\":" bounded/results.jsonl ||
    complain "the results do not say that $shortened frames are shortened" run --evidence-limit 4
grep -q "^evidence: $shortened frames shortened to their headers, " bounded/flood-001.log || complain 'the log does not say so' run
"$program" check bounded/flood-001.pcapng >out 2>err
says "^    frame $frame: .*PAD"
"$program" report --bundle whole.tar large >/dev/null && "$program" report --bundle part.tar bounded >/dev/null
expect 0 '' verify-bundle --cases cases part.tar
says '^  not proved  cases with shortened evidence \(--evidence-limit\): 1$'

# If even the headers are too much, the last frames are missing; the log has its begin, its end and what is odd.
expect 0 '' run --simulate --cases cases --evidence-limit 1 --out tiny
[ "$(wc -c <tiny/flood-001.pcapng)" -lt 1100000 ] || complain "$(wc -c <tiny/flood-001.pcapng) octets" run --evidence-limit 1
[ "$(wc -c <tiny/flood-001.log)" -lt 1100000 ] || complain "$(wc -c <tiny/flood-001.log) octets of log" run --evidence-limit 1
grep -q '"left_out":{"frames_shortened":[1-9][0-9]*,"frames_missing":[1-9][0-9]*,"log_lines":[1-9][0-9]*}' tiny/results.jsonl ||
    complain 'the results do not say what is missing' run --evidence-limit 1
grep -qE '^  \([1-9][0-9]* left out here: --evidence-limit\)$' tiny/flood-001.log || complain 'the log does not say so' run --evidence-limit 1
grep -q '! .*PAD' tiny/flood-001.log || complain 'the log lacks the violation' run --evidence-limit 1
tail -n 3 tiny/flood-001.log | grep -q '^evidence: ' || complain 'the log has no end' run --evidence-limit 1
exit "$failed"
