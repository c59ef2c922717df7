#!/bin/sh
# Exit codes and error lines of the program. Usage: cli_test.sh WARPCHECK
program=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE 'PATTERN' ARGUMENT...: the exit code, and stderr as one line that matches the pattern whole ("" for nothing)
expect() {
    code=$1 pattern=$2
    shift 2
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    [ $found -eq "$code" ] || complain "exit $found instead of $code" "$@"
    if [ -z "$pattern" ]; then
        [ ! -s "$work/err" ] || complain "unexpected: $(cat "$work/err")" "$@"
    else
        [ "$(wc -l <"$work/err")" -eq 1 ] || complain "not one line: $(cat "$work/err")" "$@"
        grep -qxE "$pattern" "$work/err" || complain "said: $(cat "$work/err")" "$@"
    fi
}

complain() {
    message=$1
    shift
    echo "FAILED: $message: warpcheck $*" >&2
    failed=1
}

says() {
    grep -qE "$1" "$work/out" || complain "no '$1' in what it printed"
}

# the program
expect 3 'warpcheck: no command given .*'
expect 3 'warpcheck: unknown command frobnicate .*' frobnicate
expect 3 'warpcheck: unknown option --frobnicate .*' --frobnicate
expect 0 '' --help
says '^  check '
expect 0 '' --version
says '^warpcheck [0-9]+\.[0-9]+\.[0-9]+$'
for command in check list; do
    expect 0 '' $command --help
    says "^Usage: warpcheck $command "
    says '^Examples:'
    says '^Exit codes:'
    expect 3 "warpcheck $command: unknown option --frobnicate" $command --frobnicate
done
"$program" --help >/dev/full 2>"$work/err"
[ $? -eq 3 ] || complain 'a full disk looked like success' --help

# check
capture=$work/send.pcap
octets() { # octets in octal escapes for printf
    printf "$1" >>"$capture"
}
: >"$work/empty.pcap"
echo 'this is a text, not a capture' >"$work/text.pcap"
# pcap of IP packets: a Request from 10.0.0.1:1 to 10.0.0.2:2, without a handshake
: >"$capture"
octets '\241\262\303\324\000\002\000\004\000\000\000\000\000\000\000\000\000\000\377\377\000\000\000\145'
octets '\000\000\000\001\000\000\000\000\000\000\000\074\000\000\000\074'
octets '\105\000\000\074\000\000\000\000\100\006\000\000\012\000\000\001\012\000\000\002'
octets '\000\001\000\002\000\000\000\001\000\000\000\000\120\020\377\377\000\000\000\000'
octets 'MPA ID Req Frame\100\001\000\000'
expect 3 'warpcheck check: no file given' check
expect 3 'warpcheck check: option --format needs an argument' check --format
expect 3 'warpcheck check: --format cannot be xml' check --format xml "$capture"
expect 3 'warpcheck check: --extensions cannot be 7307' check --extensions 7307 "$capture"
expect 3 'warpcheck check: option --decode takes no argument' check --decode=yes "$capture"
expect 3 "warpcheck: $work/none.pcap: No such file or directory" check "$work/none.pcap"
expect 3 "warpcheck: $work/empty.pcap: empty file" check "$work/empty.pcap"
expect 3 "warpcheck: $work/text.pcap: not a capture file" check "$work/text.pcap"
expect 0 '' check "$capture"
says 'initiator: Rev 1, M=0 C=1 R=0, 0 octets of private data'
expect 0 '' check --decode "$capture"
says '^1 \[0\] initiator: MPA Request m=0 c=1 r=0 s=0 rev=1 pd_length=0$'
expect 0 '' check --format jsonl "$capture"
says '^\{"type":"summary",.*"exit":0\}$'
expect 0 '' check --fields "$capture"
says '^1	MPA ID Req Frame	0	1	0	0	0x00	1	0	'
[ "$("$program" check --fields "$capture" | tr -cd '\t' | wc -c)" -eq "$("$program" list fields | wc -l)" ] ||
    complain 'not one column for each field'
# what stands before the cut is reported, and then the cut
cp "$capture" "$work/cut.pcap"
printf '\000\000\000\002' >>"$work/cut.pcap"
expect 3 "warpcheck: $work/cut.pcap: truncated after frame 1" check "$work/cut.pcap"
says 'initiator: Rev 1'
# without its only packet
head -c 24 "$capture" >"$work/silent.pcap"
expect 3 "warpcheck: $work/silent.pcap: no iWARP stream found in 0 frames" check "$work/silent.pcap"

# list
expect 3 'warpcheck list: no topic given' list
expect 3 'warpcheck list: unknown topic frobs' list frobs
expect 3 'warpcheck list: more than one topic given' list fields errors
for topic in requirements layouts opcodes errors fields; do
    expect 0 '' list $topic
    [ -s "$work/out" ] || complain "nothing printed" list $topic
done
expect 0 '' list opcodes --format jsonl
says '^\{"opcode":"0x03","name":"SEND",'

exit $failed
