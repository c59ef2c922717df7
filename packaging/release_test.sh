#!/bin/bash
# release_test.sh BUILD: makes releases in a clone, with a key made for it. What is not ready is refused; the archive has the same octets
# each time; checksums, signature and tag are verified by those who have the public key only, and not after a change.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "$1")
git -C "$here" rev-parse HEAD >/dev/null 2>&1 || { echo "not available: the history of git: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "release: $*" >&2; exit 1; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@example.org GIT_COMMITTER_NAME=tester \
    GIT_COMMITTER_EMAIL=tester@example.org BUILD=$build URL=https://example.org/files

git clone -q --no-local --depth 1 "file://$here" "$work/clone"
cd "$work/clone"
# The scripts of this tree, also those that are not committed yet.
cp "$here"/scripts/release.sh "$here"/scripts/sbom.py scripts/
cp -r "$here/packaging" .
git add -A
git commit -q --allow-empty -m test
ssh-keygen -q -t ed25519 -N '' -C tester -f "$work/key"
echo "tester@example.org $(cat "$work/key.pub")" >"$work/signers"
refused() { # TEXT
    code=0
    scripts/release.sh --dry-run "$work/key" >/dev/null 2>"$work/errors" || code=$?
    [ $code -eq 1 ] || wrong "exit code $code, not 1, where refused is: $1"
    grep -q -- "$1" "$work/errors" || wrong "not refused: $1; but: $(cat "$work/errors")"
}
commit() { git commit -qam "$1"; }

version=$(sed -n 's/^project(warpcheck VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(sed -n 's/^set(warpcheck_date \([0-9-]*\)).*/\1/p' CMakeLists.txt)
sed -i "1,/^## /s/^## .*/## Unreleased/" CHANGELOG.md
commit unreleased
refused 'section of unreleased changes'
refused "lacks the line: ## $version ($date)"
sed -i "s/^## Unreleased.*/## $version ($date)/" CHANGELOG.md
refused 'not committed'
commit changelog
sed -i '1s/(.*)/(9.9.9)/' debian/changelog
commit debian
refused 'debian/changelog'
git revert --no-edit HEAD >/dev/null
sed -i '/^ -- /s/>  .*/>  Mon, 01 Jan 2001 12:00:00 +0000/' debian/changelog
commit 'date of the packages'
refused 'debian/changelog is of Mon, 01 Jan 2001 12:00:00 +0000, not of'
git revert --no-edit HEAD >/dev/null
sed -i 's/^- /+ /' CHANGELOG.md
commit 'no changes'
refused "CHANGELOG.md has no changes of $version"
git revert --no-edit HEAD >/dev/null
sed -i 's/^set(warpcheck_date .*/set(warpcheck_date 2001-01-01)/' CMakeLists.txt
sed -i "s/^## $version (.*/## $version (2001-01-01)/" CHANGELOG.md
commit 'date of the build'
refused "manual/man1/warpcheck.1 is not of $version and 2001-01-01"
git revert --no-edit HEAD >/dev/null
sed -i 's/VERSION [0-9.]* LANGUAGES/VERSION 9.9.9 LANGUAGES/' CMakeLists.txt
commit version
refused 'not of 9.9.9'
refused 'not warpcheck 9.9.9'
git revert --no-edit HEAD >/dev/null

scripts/release.sh --dry-run "$work/key" >"$work/said"
grep -q "dry run of $version" "$work/said" || wrong "the dry run says: $(cat "$work/said")"
[ -z "$(git tag)" ] || wrong "the dry run makes a tag"
cp -r "build/release-$version" "$work/first"
# Another time, other modes in the working tree.
(umask 077 && git checkout-index -qaf && touch README.md && scripts/release.sh "$work/key" >/dev/null)
for file in "warpcheck-$version.tar.gz" "warpcheck-$version.spdx.json" warpcheck.spec warpcheck.rb SHA256SUMS; do
    cmp "$work/first/$file" "build/release-$version/$file" || wrong "the second $file differs"
done
! scripts/release.sh "$work/key" >"$work/said" 2>&1 || wrong "a tag is made twice"
grep -q "the tag v$version exists" "$work/said" || wrong "a second tag is refused with: $(cat "$work/said")"

# As somebody who gets the files.
cd "$work/first"
sha256sum --quiet --check SHA256SUMS
verify() { ssh-keygen -Y verify -f "$work/signers" -I tester@example.org -n warpcheck-release -s SHA256SUMS.sig <SHA256SUMS >/dev/null 2>&1; }
verify || wrong "the signature is not verified"
sed -i '1y/0123456789abcdef/123456789abcdef0/' SHA256SUMS
! verify || wrong "the signature of other checksums is verified"
git -C "$work/clone" -c gpg.ssh.allowedSignersFile="$work/signers" tag -v "v$version" >/dev/null 2>&1 || wrong "the tag is not verified"
! git -C "$work/clone" -c gpg.ssh.allowedSignersFile=/dev/null tag -v "v$version" >/dev/null 2>&1 || wrong "the tag is verified without a key"

# The archive is the tree.
tar -xzf "warpcheck-$version.tar.gz"
[ -z "$(find "warpcheck-$version" -perm /022)" ] || wrong "files of the archive are writable by others"
(cd "$work/clone" && git ls-files | sort) >"$work/committed"
(cd "warpcheck-$version" && find . ! -type d | sed 's|^\./||' | sort) >"$work/archived"
diff "$work/committed" "$work/archived" || wrong "the archive lacks files, or has more"
sum=$(sha256sum "warpcheck-$version.tar.gz")
grep -q "sha256 \"${sum%% *}\"" warpcheck.rb || wrong "warpcheck.rb has another SHA-256"
grep -q "^Version: *$version$" warpcheck.spec || wrong "warpcheck.spec has another version"
grep -q "^Source0: *https://example.org/files/warpcheck-$version.tar.gz$" warpcheck.spec || wrong "warpcheck.spec has another source"
! grep -n '@[A-Z0-9]*@' warpcheck.spec warpcheck.rb || wrong "a recipe has a place that was not filled in"
echo "release: made, verified and refused"
