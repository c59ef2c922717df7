# shellcheck shell=bash disable=SC2154 # the sourcing script sets $work, a folder, and $runs
# contest.sh: compares contenders: bash functions that print their measurements. To be sourced.

# run_all CONTENDER...: runs each `runs` times, in turn, into $work/CONTENDER
run_all() {
    local contender
    for contender in "$@"; do : >"$work/$contender"; done
    for _ in $(seq "$runs"); do
        for contender in "$@"; do "$contender" >>"$work/$contender"; done
    done
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
