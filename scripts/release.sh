#!/bin/bash
# release.sh [--dry-run] KEY: makes a release of the last commit, signed with KEY, a private key of SSH (or its public part, if an
# agent of SSH has the private one). The version is that of project() in CMakeLists.txt; there is no other place to change it in, but
# CHANGELOG.md and debian/changelog must describe it, with the date. Writes into build/release-VERSION:
#   warpcheck-VERSION.tar.gz   the committed files; the same commit gives the same octets
#   warpcheck-VERSION.spdx.json   the bill of materials of the build BUILD, on this machine
#   warpcheck.spec, warpcheck.rb  the recipes for RPM and Homebrew, with the SHA-256 of the archive
#   SHA256SUMS, SHA256SUMS.sig    checksums of these, and their signature
# and makes the signed tag vVERSION, which is not pushed. --dry-run makes all of it but the tag.
#   BUILD  folder of a build of this commit [build/release]
#   URL    where the archive will be, for the recipes [https://warpcheck.example/releases/]
# Exit code: 0 made, 1 the tree is not ready, 3 usage or environment.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
dry=
[ "${1:-}" != --dry-run ] || { dry=y; shift; }
[ $# -eq 1 ] || { sed -n '2,14s/^# //p' "$0" >&2; exit 3; }
key=$1
fail() { echo "release: $*" >&2; exit 3; }
status=0
unready() { echo "release: $*" >&2; status=1; }
for tool in git ssh-keygen gzip sha256sum python3; do
    command -v $tool >/dev/null || fail "$tool is missing"
done
[ -r "$key" ] || fail "$key: there is no such key"
key=$(realpath "$key")
build=${BUILD:-build/release} url=${URL:-https://warpcheck.example/releases/}

version=$(sed -n 's/^project(warpcheck VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(sed -n 's/^set(warpcheck_date \([0-9-]*\)).*/\1/p' CMakeLists.txt)
[[ -n $version && -n $date ]] || fail "CMakeLists.txt has no version or no date"

[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || unready "$version is not MAJOR.MINOR.PATCH"
[ -z "$(git status --porcelain)" ] || unready "the tree has changes that are not committed"
[ -n "$dry" ] || ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || unready "the tag v$version exists"
grep -qxF "## $version ($date)" CHANGELOG.md || unready "CHANGELOG.md lacks the line: ## $version ($date)"
awk -v heading="## $version ($date)" '/^## / { here = $0 == heading } here && /^- / { found = 1 } END { exit !found }' CHANGELOG.md ||
    unready "CHANGELOG.md has no changes of $version"
! grep -q '^## Unreleased' CHANGELOG.md || unready "CHANGELOG.md has a section of unreleased changes"
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || unready "debian/changelog does not begin with $version"
debian=$(sed -n '/^ -- /{s/.*>  //p;q}' debian/changelog)
[ "$(TZ=UTC date -d "$debian" +%F 2>/dev/null)" = "$date" ] || unready "debian/changelog is of ${debian:-no date}, not of $date"
built=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt" 2>/dev/null) || true
[ "$built" = "$version" ] || unready "$build is a build of ${built:-nothing}, not of $version"
said=$("$build/warpcheck" --version 2>/dev/null) || true
[ "$said" = "warpcheck $version" ] || unready "$build/warpcheck is ${said:-missing}, not warpcheck $version: build it again"
grep -qxF ".TH WARPCHECK 1 $date \"warpcheck $version\" \"iWARP conformance kit\"" "$build/manual/man1/warpcheck.1" 2>/dev/null ||
    unready "$build/manual/man1/warpcheck.1 is not of $version and $date: build it again"
[ $status -eq 0 ] || exit 1

name=warpcheck-$version
out=build/release-$version
rm -rf "$out"
mkdir -p "$out"
# The modes do not depend on the user's settings, and gzip writes no time.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
scripts/sbom.py "$build" -o "$out/$name.spdx.json" || fail "the bill of materials cannot be made"
sum=$(sha256sum "$out/$name.tar.gz")
for recipe in rpm/warpcheck.spec homebrew/warpcheck.rb; do
    sed -e "s|@VERSION@|$version|g" -e "s|@SHA256@|${sum%% *}|g" -e "s|@URL@|${url%/}/$name.tar.gz|g" -e "s|@DATE@|$(date -ud "$date" '+%a %b %d %Y')|g" \
        "packaging/$recipe.in" >"$out/${recipe#*/}"
done
(cd "$out" && sha256sum ./*."tar.gz" ./*.json ./*.spec ./*.rb | sed 's| \./| |' >SHA256SUMS &&
    ssh-keygen -q -Y sign -n warpcheck-release -f "$key" SHA256SUMS) || fail "$key does not sign"
if [ -z "$dry" ]; then
    git -c gpg.format=ssh -c user.signingkey="$key" tag -s -m "warpcheck $version" "v$version" || fail "the tag cannot be signed"
fi
ls "$out"
echo "release: ${dry:+dry run of }$version${dry:+, no tag made}"
