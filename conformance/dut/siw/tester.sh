#!/bin/bash
# tester.sh WARPCHECK FILE: packs the program for the guest. FILE becomes a cpio archive to put before that of build.sh:
# /tester contains the program, its libraries and loader, siw.lua, and "run", with the arguments of "warpcheck run".
# Exit code: 0 packed, 3 environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
die() { echo "siw tester: $*" >&2; exit 3; }
[ $# -eq 2 ] || { sed -n '2,3s/^# *//p' "$0" >&2; exit 3; }
[ -x "$1" ] || die "no program $1"
command -v cpio >/dev/null || die "missing on this host: cpio, get it with: apt-get install cpio"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tester/lib"
cp "$1" "$tree/tester/warpcheck"
cp "$here/siw.lua" "$tree/tester/"
# "NAME => FILE (ADDRESS)" of each library, "FILE (ADDRESS)" of the loader
ldd "$1" | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}' | while read -r file; do cp -L "$file" "$tree/tester/lib/"; done
loader=$(cd "$tree/tester/lib" && echo ld-linux*)
[ -f "$tree/tester/lib/$loader" ] || die "the loader of $1 is unknown"
cat >"$tree/tester/run" <<END
#!/bin/sh
exec /tester/lib/$loader --library-path /tester/lib /tester/warpcheck run "\$@"
END
chmod 755 "$tree/tester/run"
(cd "$tree" && find . | cpio -o -H newc --quiet -R 0:0) >"$2"
