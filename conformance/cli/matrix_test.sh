#!/bin/sh
# warpcheck matrix with peers of different makes. Usage: matrix_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
peers=$here/../matrix/peers
command -v python3 >/dev/null || {
    echo "not available: python3: skipped"
    exit 77
}

expect 3 'warpcheck matrix: no file of peers given.*' matrix
expect 3 'warpcheck matrix: --scenario: unknown scenario sise-64' matrix --scenario size-64,sise-64 x.json
expect 3 'warpcheck matrix: --evidence takes all or failed, not none' matrix --evidence none x.json
expect 3 'warpcheck: .*/none.json: .*No such file or directory' matrix "$work/none.json"
echo '{"peers": [{"name": "red", "colour": "red"}]}' >"$work/wrong.json"
expect 3 'warpcheck: .*/wrong.json: peer red: unknown member "colour"' matrix "$work/wrong.json"

# ---- peers without a common line of code; each is initiator and responder ----

ours='^(reference|python)/(reference|python)/'
expect 0 '' matrix --out "$work/m" --scenario startup,startup-markers,size-4k,invalidation --only "$ours" "$peers/peers.json"
says '^pass +python/reference/startup-markers$'
says '^pass +reference/python/invalidation$'
says '^16 cells: 16 pass, 0 not supported, 0 not judged, 0 fail, 0 error, 16 run, 0 kept, 0 changed; page: .*/m/index.html$'
[ -z "$(find "$work/m/cells" -type f)" ] || complain 'files of cells that pass' matrix

# ---- what has not changed is kept; --force runs it again, with all evidence ----

expect 0 '' matrix --out "$work/m" --scenario startup,startup-markers,size-4k,invalidation --only "$ours" "$peers/peers.json"
says ' 0 run, 16 kept, 0 changed; '
expect 0 '' matrix --out "$work/m" --scenario size-4k --only '^python/reference/' --force --evidence all "$peers/peers.json"
says ' 1 run, 15 kept, 0 changed; '
expect 0 '' check "$work/m/cells/python/reference/size-4k/capture.pcapng"
for file in responder.log judgement.jsonl diagram.html; do
    [ -s "$work/m/cells/python/reference/size-4k/$file" ] || complain "no $file" matrix
done

# ---- networks, in namespaces of their own; what is missing is said ----

if "$program" doctor --only '^network$' >/dev/null; then
    expect 0 '' matrix --out "$work/n" --scenario mtu-576,rate --only '^python/reference/' --evidence all "$peers/peers.json"
    says '^2 cells: 2 pass, '
    expect 0 '' check "$work/n/cells/python/reference/mtu-576/capture.pcapng"
    if "$program" doctor --only '^netem$' >/dev/null; then
        expect 0 '' matrix --out "$work/n" --scenario loss --only '^python/reference/' "$peers/peers.json"
        says '^3 cells: 3 pass, '
    else
        expect 0 '' matrix --out "$work/n" --scenario mtu-576,loss --only '^python/reference/' "$peers/peers.json"
        says '^3 cells: 2 pass, 1 not supported, '
        grep -q '"reason": "this kernel has no netem; load it ' "$work/n/results.json" || complain 'no reason' matrix
    fi
fi

# ---- a soak is judged, but not recorded ----

expect 0 '' matrix --out "$work/s" --scenario soak --soak 2 --only '^python/reference/' --evidence all "$peers/peers.json"
says '^pass +python/reference/soak$'
[ ! -e "$work/s/cells/python/reference/soak/capture.pcapng" ] || complain 'a capture of a soak' matrix

# ---- a peer changes: its cells alone are run again. One that violates is named, with the clause ----

cat >"$work/peers.json" <<END
{
  "kinds": {
    "good": {"initiator": {"commands": {
      "size-64": "exec {warpcheck} play $peers/reference.lua --arg host={host} --arg port={port} --arg count=2"}}},
    "serve": {"responder": {"ready": "listening on 127.0.0.1:([0-9]+)", "commands": {
      "*": "exec {warpcheck} serve --rping --listen {host}:0 --quiet"}}}
  },
  "peers": [{"name": "good", "kind": "good"}, {"name": "bad", "kind": "serve"}, {"name": "other", "kind": "serve"}]
}
END
expect 0 '' matrix --out "$work/c" --scenario size-64 "$work/peers.json"
says '^9 cells: 2 pass, 7 not supported, '
sed -i 's/{"name": "bad", "kind": "serve"}/{"name": "bad", "kind": "serve", "responder": {"commands": {"*": "exec {warpcheck} serve --rping --listen {host}:0 --no-crc --quiet --defect crc-wrong"}}}/' "$work/peers.json"
expect 1 '' matrix --out "$work/c" --scenario size-64 "$work/peers.json"
says '^fail +good/bad/size-64: the initiator says: exit code 1: .*; responder RFC5044-4.4-11: CRC is '
says '^9 cells: 1 pass, 7 not supported, 0 not judged, 1 fail, 0 error, 5 run, 4 kept, 1 changed; '
grep -q '<b>regressed</b>: <a href="#cell-[0-9]*">good, bad, size-64</a>: fail, before pass' "$work/c/index.html" ||
    complain 'the page does not tell what regressed' matrix
expect 1 '' check "$work/c/cells/good/bad/size-64/capture.pcapng"
grep -q '<svg class="diagram' "$work/c/cells/good/bad/size-64/diagram.html" || complain 'no diagram of what fails' matrix

# ---- the peer that opened the connection is to blame, whatever MPA role its frames suggest ----

cat >"$work/guilty.json" <<END
{"peers": [
  {"name": "guilty", "initiator": {"commands": {"startup": "exec {warpcheck} play --peer {host}:{port} $work/reply.lua"}}},
  {"name": "innocent", "responder": {"ready": "listening on 127.0.0.1:([0-9]+)",
    "commands": {"startup": "exec {warpcheck} serve --rping --listen {host}:0 --quiet"}}}]}
END
cat >"$work/reply.lua" <<'END'
local c = tcp{}
c:request{key = "MPA ID Rep Frame"}
c:expect{{kind = "close"}}
END
expect 1 '' matrix --out "$work/g" --scenario startup "$work/guilty.json"
says '^fail +guilty/innocent/startup.*; initiator RFC5044-7.1.2-03: '
grep -q '<th scope="row">guilty</th><td><code>RFC5044-7.1.2-03</code>' "$work/g/index.html" || complain 'guilty is not named' matrix
grep -q '<th scope="row">innocent</th><td><code>RFC' "$work/g/index.html" && complain 'innocent is blamed' matrix
grep -q '"side":"responder".*"peer":"initiator"' "$work/g/cells/guilty/innocent/startup/judgement.jsonl" ||
    complain 'relay does not name the peer' matrix

# ---- peers that do not start, do not listen, do not connect, do not end ----

one() { # RESPONDER INITIATOR
    cat >"$work/one.json" <<END
{"peers": [{"name": "a", "responder": {"ready": "^listening.*:([0-9]+)", "commands": {"size-64": "$1"}},
            "initiator": {"commands": {"size-64": "$2"}}}]}
END
}
serve="exec {warpcheck} serve --rping --listen {host}:0 --quiet"
initiator="exec {warpcheck} play $peers/reference.lua --arg host={host} --arg port={port} --arg count=1"
one 'echo no device >&2; exit 7' "$initiator"
expect 3 '' matrix --out "$work/e" --scenario size-64 "$work/one.json"
says '^error +a/a/size-64: responder: it ended before it listened: exit code 7: no device$'
one 'echo busy; exec sleep 1000' "$initiator"
expect 3 '' matrix --out "$work/e" --scenario size-64 --timeout 1 "$work/one.json"
says '^error +a/a/size-64: responder: it does not print that it listens; its last line: busy$'
one "$serve" 'echo cannot reach {port}; exit 1'
expect 3 '' matrix --out "$work/e" --scenario size-64 "$work/one.json"
says '^error +a/a/size-64: the initiator says: exit code 1: cannot reach [0-9]+$'
one "$serve" '(echo starts; exec sleep 1000) # {port}'
expect 3 '' matrix --out "$work/e" --scenario size-64 --timeout 5 "$work/one.json"
says '^error +a/a/size-64: the initiator does not end; its last line: starts$'

# ---- a result that cannot be read, a selection of nothing ----

expect 3 'warpcheck: no cell is selected' matrix --out "$work/e" --only nothing "$work/one.json"
echo '[]' >"$work/e/results.json"
expect 3 'warpcheck: .*/e/results.json: these are not the results of a matrix' matrix --out "$work/e" "$work/one.json"

# ---- interrupted: what has ended is kept, the exit code is 2, and no process remains ----

one "echo \$\$ >$work/responder; $serve" "echo \$\$ >$work/initiator; exec sleep 1000 # {port}"
mkfifo "$work/started"
sed -i "s/exec sleep 1000/echo >$(echo "$work/started" | sed 's|/|\\/|g'); exec sleep 1000/" "$work/one.json"
"$program" matrix --out "$work/i" --scenario size-64 "$work/one.json" >"$work/out" 2>&1 &
matrix=$!
read -r _ <"$work/started"
kill -INT "$matrix"
wait "$matrix"
found=$?
[ $found -eq 3 ] || complain "exit $found after SIGINT: $(cat "$work/out")" matrix
[ -z "$(find "$work/i/cells" -type f)" ] || complain 'files of a cell that was interrupted' matrix
for peer in responder initiator; do
    kill -0 "$(cat "$work/$peer")" 2>/dev/null && complain "the $peer remains" matrix
done

# ---- an interrupted run with --force keeps the results and files of the run before, and their history ----

one "$serve" "$initiator"
expect 0 '' matrix --out "$work/k" --scenario size-64 --evidence all "$work/one.json"
# interrupt ARGUMENT...: runs the matrix, and interrupts it when a line comes from $work/started
interrupt() {
    "$program" matrix "$@" >"$work/out" 2>&1 &
    matrix=$!
    read -r _ <"$work/started"
    kill -INT "$matrix"
    wait "$matrix"
    found=$?
}
# The responder of the second call waits.
cat >"$work/wait.sh" <<END
if [ -e "$work/waits" ]; then echo >"$work/started"; exec sleep 1000; fi
END
one ". $work/wait.sh; $serve" "$initiator"
expect 0 '' matrix --out "$work/k" --scenario size-64 --evidence all "$work/one.json"
touch "$work/waits"
interrupt --out "$work/k" --scenario size-64 --evidence all --force "$work/one.json"
[ $found -eq 2 ] || complain "exit $found after SIGINT with --force: $(cat "$work/out")" matrix
grep -q '"verdict": "pass"' "$work/k/results.json" || complain 'the result is lost' matrix
grep -q '"outdated": true' "$work/k/results.json" && complain 'the result is not outdated' matrix
expect 0 '' check "$work/k/cells/a/a/size-64/capture.pcapng"
[ ! -e "$work/k/cells/a/a/size-64.new" ] || complain 'files of a cell that was interrupted' matrix

# ---- a partial run after a change keeps the other cells as outdated: they count neither as passed nor as failed ----

expect 1 '' matrix --out "$work/c" --scenario size-64 --only '^good/other/' "$work/peers.json"
sed -i 's/--defect crc-wrong"/--defect crc-wrong --size 70000"/; s/"name": "good",/"name": "good", "profile": "new",/' "$work/peers.json"
expect 0 '' matrix --out "$work/c" --scenario size-64 --only '^good/other/' "$work/peers.json"
says '^9 cells: 1 pass, .* 0 fail, 0 error, 1 run, .* outdated; '
grep -q '<span class="change">outdated</span>' "$work/c/index.html" || complain 'the page does not tell what is outdated' matrix
expect 1 '' check "$work/c/cells/good/bad/size-64/capture.pcapng"
python3 - "$work/c/results.json" <<'END' || complain 'an outdated cell without its history' matrix
import json, sys
cells = [c for c in json.load(open(sys.argv[1]))["cells"] if (c["initiator"], c["responder"]) == ("good", "bad")]
sys.exit(len(cells) != 1 or not cells[0]["outdated"] or [h["verdict"] for h in cells[0]["history"]] != ["pass", "fail"])
END

# ---- one run at a time in a folder; files that are not there ----

flock "$work/k" "$program" matrix --out "$work/k" --scenario size-64 "$work/one.json" >"$work/out" 2>"$work/err"
found=$?
[ $found -eq 3 ] || complain "exit $found in a folder in use" matrix
grep -qx "warpcheck: $work/k: another run is writing there" "$work/err" || complain "$(cat "$work/err")" matrix
sed -i 's/"name": "a",/"name": "a", "files": ["no.conf"],/' "$work/one.json"
expect 3 'warpcheck: peer a: files: no.conf: No such file or directory' matrix --out "$work/k" --scenario size-64 "$work/one.json"

# ---- interrupted while it asks for versions: no command remains, and the results stay ----

one "$serve" "$initiator"
sed -i "s|\"name\": \"a\",|\"name\": \"a\", \"version\": \"echo \$\$ >$work/asked; echo >$work/started; exec sleep 1000\",|" "$work/one.json"
cp "$work/k/results.json" "$work/results.json"
interrupt --out "$work/k" --scenario size-64 "$work/one.json"
[ $found -eq 3 ] || complain "exit $found after SIGINT: $(cat "$work/out")" matrix
grep -qx 'warpcheck: interrupted before a cell was run' "$work/out" || complain "$(cat "$work/out")" matrix
kill -0 "$(cat "$work/asked")" 2>/dev/null && complain 'the version command remains' matrix
cmp -s "$work/results.json" "$work/k/results.json" || complain 'the results have changed' matrix
exit "$failed"
