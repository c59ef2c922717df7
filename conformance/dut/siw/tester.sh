#!/bin/bash
# tester.sh FILE WARPCHECK [AGENT]: packs the program for the guest, and warpcheck-agent. FILE becomes a cpio archive to put before
# that of build.sh: /tester contains the programs, their libraries and loader, siw.lua, and "run", with the arguments of "warpcheck
# run"; /bin/warpcheck-agent starts the agent.
# Exit code: 0 packed, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
die() { echo "siw tester: $*" >&2; exit 3; }
[ $# -eq 2 ] || [ $# -eq 3 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 3; }
command -v cpio >/dev/null || die "missing on this host: cpio, get it with: apt-get install cpio"

file=$1
shift
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tester/lib" "$tree/bin"
cp "$here/siw.lua" "$tree/tester/"
for program; do
  [ -x "$program" ] || die "no program $program"
  cp "$program" "$tree/tester/"
  # "NAME => FILE (ADDRESS)" of each library, "FILE (ADDRESS)" of the loader
  ldd "$program" | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}' | while read -r library; do
    cp -L "$library" "$tree/tester/lib/"
  done
done
loader=$(cd "$tree/tester/lib" && echo ld-linux*)
[ -f "$tree/tester/lib/$loader" ] || die "the loader of $1 is unknown"
start() { # FILE PROGRAM ARG...
  local script=$1
  shift
  printf '#!/bin/sh\nexec /tester/lib/%s --library-path /tester/lib /tester/%s "$@"\n' "$loader" "$*" >"$script"
  chmod 755 "$script"
}
start "$tree/tester/run" warpcheck run
[ $# -eq 1 ] || start "$tree/bin/warpcheck-agent" warpcheck-agent
(cd "$tree" && find . | cpio -o -H newc --quiet -R 0:0) >"$file"
