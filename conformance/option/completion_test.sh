#!/bin/sh
# Completion in bash, zsh and fish, by these shells themselves. Usage: completion_test.sh WARPCHECK SHELL [WARPCHECK-AGENT]
shell=$2
command -v "$shell" >/dev/null || {
    echo "not available: $shell: skipped"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
mkdir "$work/bin" "$work/there" "$work/there/folder"
: >"$work/there/capture.pcap"
ln -s "$(realpath "$1")" "$work/bin/warpcheck"
[ -z "${3:-}" ] || ln -s "$(realpath "$3")" "$work/bin/warpcheck-agent"
PATH=$work/bin:$PATH
export PATH
warpcheck help --format "$shell" >"$work/_warpcheck" || failed=1
[ -z "${3:-}" ] || warpcheck-agent --help="$shell" >"$work/_warpcheck-agent" || failed=1
cd "$work/there" || exit 99

cat >"$work/ask.bash" <<'BASH'
set -o noglob
file=$1
source "$file"
read -r -a COMP_WORDS <<<"${2//=/ = }"
[[ $2 == *" " || $2 == *= ]] && COMP_WORDS+=("")
[[ $2 == *= ]] && unset 'COMP_WORDS[-1]'
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
# the function that bash calls for this command
function=$(complete -p "${COMP_WORDS[0]}" | sed 's/.* -F \([^ ]*\) .*/\1/')
"$function"
printf '%s\n' "${COMPREPLY[@]}"
BASH
# zsh completes only in a terminal: zpty is one. The key TAB lists what can follow.
cat >"$work/ask.zsh" <<'ZSH'
zmodload zsh/zpty
zpty -b asked zsh -f -i
zpty -w asked "PS1= PS2= RPS1= LISTMAX=0; stty rows 5000 cols 200 -echo; unsetopt zle_bracketed_paste prompt_sp"
zpty -w asked "fpath=(${1:h} \$fpath); autoload -Uz compinit; compinit -u -d ${1:h}/dump"
zpty -w asked "zstyle ':completion:*' list-separator '--'; bindkey '^I' list-choices"
zpty -w asked "listed() { print end-of''-list }; zle -N listed; bindkey '^X' listed; print begin-of''-list"
zpty -r asked before '*begin-of-list*'
zpty -w -n asked "$2"$'\t\x18'
zpty -r asked list '*end-of-list*'
zpty -d asked
print -r -- ${list//$'\e'\[[0-9;?]#[a-zA-Z]/ } | tr ' \r' '\n\n'
ZSH

# shellcheck disable=SC2016 # fish expands its own variables
# ask LINE: what the shell offers for the last word of the line, in $work/offered.
ask() {
    file=$work/_${1%% *}
    case $shell in
    bash) bash --norc --noprofile "$work/ask.bash" "$file" "$1" ;;
    zsh) zsh -f -o extended_glob "$work/ask.zsh" "$file" "$1" ;;
    fish) HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$file" "$1" | cut -f 1 ;;
    esac >"$work/offered" 2>"$work/err"
}

# offers LINE WORD...: the shell offers these words.
offers() {
    line=$1
    shift
    ask "$line"
    for word in "$@"; do
        grep -qxF -e "$word" "$work/offered" || {
            echo "FAILED: '$line' does not offer $word, but: $(head -c 300 "$work/offered" "$work/err")"
            failed=1
        }
    done
}
# withholds LINE WORD...: it does not offer these.
withholds() {
    line=$1
    shift
    ask "$line"
    for word in "$@"; do
        if grep -qxF -e "$word" "$work/offered"; then
            echo "FAILED: '$line' offers $word"
            failed=1
        fi
    done
}

offers 'warpcheck report --policy ' mandatory full interop capture.pcap
offers 'warpcheck ' run check verify-bundle list
offers 'warpcheck ch' check
offers 'warpcheck check --' --format --waive --max-level --help
withholds 'warpcheck check --' --rping --hardship
withholds 'warpcheck synth --' --hardship
offers 'warpcheck check --format ' text jsonl junit html
withholds 'warpcheck check --format ' capture.pcap
offers 'warpcheck check ' capture.pcap
offers 'warpcheck check --extensions ' none 7306 talpey talpey5 storm all default
offers 'warpcheck watch --extensions s' storm
offers 'warpcheck doctor --only ' plugin confine
case $shell in
bash | zsh) offers 'warpcheck check --format=j' jsonl junit ;;
fish) offers 'warpcheck check --format=j' --format=jsonl --format=junit ;;
esac
offers 'warpcheck run --defect crc-' "$(warpcheck list defects | awk '$1 ~ /^crc-/ { print $1; exit }')"
offers 'warpcheck run --variant ' "$(warpcheck list variants | awk '{ print $1; exit }')"
offers 'warpcheck run --only mpa-crc-00' mpa-crc-001
offers 'warpcheck run --only RFC5044-4.4-1' RFC5044-4.4-11
offers 'warpcheck run --profile ' rfc7306 reference
offers 'warpcheck list ' cases requirements
offers 'warpcheck help ' check verdicts waivers
case $shell in
bash) offers 'warpcheck check --extract ' folder ;;
*) offers 'warpcheck check --extract ' folder/ ;;
esac
withholds 'warpcheck check --extract ' capture.pcap
if [ -n "${3:-}" ]; then
    offers 'warpcheck-agent --' --listen --device --token-file
    offers 'warpcheck-agent --rev ' 1 2
fi
exit $failed
