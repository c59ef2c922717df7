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
exit "$failed"
