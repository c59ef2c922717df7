# exits.sh: sourced by scripts that join exit codes of warpcheck.
# shellcheck shell=bash

# graver CODE CODE: prints the more severe of two exit codes: 4, 3, then 1 before 2.
graver() {
  local rc
  for rc in 4 3 1 2; do
    if [ "$1" -eq $rc ] || [ "$2" -eq $rc ]; then echo $rc; return; fi
  done
  [ $(($1 + $2)) -eq 0 ] && echo 0 || echo 4 # any other code is a crash
}
