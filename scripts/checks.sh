#!/bin/sh
# checks.sh: format and static checks over all sources; changes nothing. Needs a release build.
set -eu
cd "$(dirname "$0")/.."
status=0

for tool in clang clang-format cppcheck shellcheck git; do
    command -v $tool >/dev/null || {
        echo "checks.sh: $tool is missing: run scripts/install-packages.sh checks" >&2
        exit 3
    }
done
[ -f build/release/compile_commands.json ] || {
    echo "checks.sh: build/release is missing: run scripts/build.sh release" >&2
    exit 3
}

find bench captures core conformance dissector fuzz generator -name '*.[ch]' -exec clang-format --dry-run -Werror {} + || status=1
find .clusterfuzzlite bench scripts captures conformance dissector docs generator packaging recipes -name '*.sh' -exec shellcheck .ci/run .ci/beside .ci/release {} + || status=1
# cppcheck reads no system headers, but has to know the macros of this one. It takes minutes for the pages and cases that the build
# writes into sources as text, of which there is nothing to say.
queue=$(echo '#include <sys/queue.h>' | cc -E -x c - | sed -n 's/^# 1 "\(.*queue\.h\)".*/\1/p' | head -1)
cppcheck --quiet --project=build/release/compile_commands.json --enable=warning,performance,portability \
    -i"$PWD/build/release" --include="$queue" --inline-suppr --error-exitcode=1 --suppress='*:*/wireshark/*' -j "$(nproc)" || status=1

# Phrases with a plain word in their place: the actor, again, at most, after, unknown.
git grep -nIE 'for who |\banew\b|\b(is|are) none\b|\bat the most\b|\bnobody\b|\bgone on with\b|behind (this|the (Request|Reply))' -- \
    '*.c' '*.h' '*.def' '*.lua' '*.sh' '*.md' ':!scripts/checks.sh' && status=1

# Clang warns about things that gcc accepts. It only reads the sources, and of those that the build makes, those of build/release.
cmake -S . -B build/clang -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
sed -nE 's/^  "command": "(.*)",$/\1/p' build/clang/compile_commands.json |
    sed -E 's/\\(.)/\1/g; s/ -o [^ ]+//; s/ -c / -fsyntax-only /; s|build/clang|build/release|g' |
    xargs -d '\n' -n 1 -P "$(nproc)" sh -c || status=1

# Packages are built without the tests.
cmake -S . -B build/untested -G Ninja -DBUILD_TESTING=OFF >/dev/null || status=1

exit $status
