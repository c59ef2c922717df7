#!/bin/sh
# The program, its commands and lists. Usage: cli_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
root=$here/../..
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"

# the program
expect 3 'warpcheck: no command given .*'
expect 3 'warpcheck: unknown command frobnicate .*' frobnicate
expect 3 'warpcheck: unknown command chekc \(did you mean check\?\)' chekc
expect 3 'warpcheck: unknown option --frobnicate .*' --frobnicate
expect 0 '' --help
says '^  check '
expect 0 '' help check
says '^Usage: warpcheck check '
expect 0 '' help
says '^  check '
says '^  verdicts '
expect 0 '' help verdicts
says '^  .INCONCL. '
expect 3 'warpcheck help: unknown topic verdict \(did you mean verdicts\?\)' help verdict
expect 3 'warpcheck help: unknown topic frobs \(topics: .*exit-codes.*\)' help frobs
expect 3 'warpcheck help: verdicts has no manual page' help --format man verdicts
expect 3 'warpcheck help: --format bash is for all commands: it takes no check' help --format bash check
expect 3 'warpcheck help: --format takes text, man, bash, zsh or fish, not tcsh' help --format tcsh
expect 3 'warpcheck check: --help takes text, man, bash, zsh or fish, not tcsh' check --help=tcsh
expect 0 '' check --help=text
says '^Usage: warpcheck check '
expect 3 'warpcheck check: unknown option --fromat \(did you mean --format\?\)' check --fromat=text x
expect 3 'warpcheck check: unknown option --helpp \(did you mean --help\?\)' check --helpp
expect 3 'warpcheck run: unknown defect crc-worng \(did you mean crc-wrong\?\)' run --defect crc-worng
expect 3 'warpcheck run: unknown defect frobs \(see warpcheck list defects\)' run --defect frobs
expect 3 'warpcheck list: unknown topic case \(did you mean cases\?\)' list case
expect 0 '' --version
says '^warpcheck [0-9]+\.[0-9]+\.[0-9]+$'
expect 3 'warpcheck --version: unexpected argument extra' --version extra
for command in run differential report verify-bundle probe check explain play serve synth script load list extcap help doctor; do
    expect 0 '' $command --help
    says "^Usage: warpcheck $command "
    says '^Examples:'
    says '^Exit codes:'
    expect 3 "warpcheck $command: unknown option --frobnicate \(see warpcheck $command --help\)" $command --frobnicate
done
# in each command, a letter is the short form of one option
expect 0 '' --help
commands=$(sed -n '/^Commands:$/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' "$work/out")
[ "$(echo "$commands" | wc -l)" -ge 19 ] || complain "only these commands: $commands" --help
for command in $commands; do
    expect 0 '' "$command" --help
    twice=$(sed -n 's/^  \(-[A-Za-z]\), --.*/\1/p' "$work/out" | sort | uniq -d)
    [ -z "$twice" ] || complain "short for two options: $twice" "$command" --help
done
"$program" --help >/dev/full 2>"$work/err"
[ $? -eq 3 ] || complain 'a full disk looked like success' --help
"$program" check --format junit "$root/captures/oddities/badcrc.pcap" >/dev/full 2>"$work/err"
[ "$(cat "$work/err")" = 'warpcheck: standard output: No space left on device' ] ||
    complain 'a full disk is not the only error on stderr' check --format junit
# the signal comes after the failed write
timeout --foreground --preserve-status -s INT 3 "$program" serve --listen 127.0.0.1:0 >/dev/full 2>"$work/err"
[ "$(cat "$work/err")" = 'warpcheck: standard output: No space left on device' ] || complain "said: $(cat "$work/err")" serve
# a reader that has left ends each command silently, with the code of SIGPIPE
for command in '--help' 'list cases' 'run --list' 'run --help' 'run --simulate --only crc'; do
    # shellcheck disable=SC2086 # words
    { sleep 1; "$program" $command 2>"$work/err"; echo $? >"$work/code"; } | :
    [ "$(cat "$work/code")" -eq 141 ] || complain "exit $(cat "$work/code") after its reader left" "$command"
    [ ! -s "$work/err" ] || complain "said: $(cat "$work/err")" "$command"
done

# list
expect 3 'warpcheck list: no topic given \(see warpcheck list --help\)' list
expect 3 'warpcheck list: unknown topic frobs \(see warpcheck list --help\)' list frobs
expect 3 'warpcheck list: --format takes text, jsonl or markdown, not json' list --format json errors
expect 3 'warpcheck list: more than one topic given' list fields errors
for topic in cases defects profiles requirements layouts opcodes errors fields; do
    expect 0 '' list $topic
    [ -s "$work/out" ] || complain "nothing printed" list $topic
done
expect 0 '' list opcodes --format jsonl
says '^\{"opcode":"0x03","name":"SEND",'

# docs/device.md and docs/decides.md: about 80 % of the cases need an agent; those of run --relay are for two devices
expect 0 '' list cases --format jsonl
grep -q '"file":"relay/crc.lua".*"tier":"relay"' "$work/out" || complain 'no case of the relay' list cases
share=$((100 * $(grep -c '"tier":"agent"' "$work/out") / $(grep -vc '"tier":"relay"' "$work/out")))
if [ $share -lt 75 ] || [ $share -gt 85 ]; then
    complain "$share % of the cases need an agent" list cases
fi

exit $failed
