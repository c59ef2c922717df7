#!/bin/sh
# threads.sh: builds with ThreadSanitizer and runs the tests of all that uses several threads.
set -eu
cd "$(dirname "$0")/.."

scripts/build.sh tsan
ctest --preset tsan -j "$(nproc)"
