# shellcheck shell=bash disable=SC2154 # $work, a folder, and $runs are of who sources it
# contest.sh: to be sourced by what measures contenders against each other, functions of bash that write their numbers.

# run_all CONTENDER...: each as often as `runs` says, in turn, into $work/CONTENDER
run_all() {
    local contender
    for contender in "$@"; do : >"$work/$contender"; done
    for _ in $(seq "$runs"); do
        for contender in "$@"; do "$contender" >>"$work/$contender"; done
    done
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
