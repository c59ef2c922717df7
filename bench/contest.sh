# shellcheck shell=bash disable=SC2154,SC2034 # the sourcing script sets $work, a folder, and $runs, and uses $build
# contest.sh: compares contenders: bash functions that print their measurements. To be sourced, with the argument BUILD.
[ -x "${1:-}/bench/iw_measure" ] || { echo "${0##*/}: BUILD is missing: bench/${0##*/} build/release" >&2; exit 3; }
build=$(realpath "$1")

# run_all CONTENDER...: runs each `runs` times, in turn, into $work/CONTENDER
run_all() {
    local contender
    for contender in "$@"; do : >"$work/$contender"; done
    for _ in $(seq "$runs"); do
        for contender in "$@"; do "$contender" >>"$work/$contender"; done
    done
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
