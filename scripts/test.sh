#!/bin/sh
# test.sh: installs the packages, builds twice (with sanitizers; optimised, with the Wireshark plugin) and runs all tests.
# The last lines are about the tests that failed. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."

# Prints the end of the output of each failed test again, so that it is at the end of a log, too.
failed() { # PRESET CODE
    awk -v names="build/$1/Testing/Temporary/LastTestsFailed.log" '
        BEGIN { FS = ": "; while ((getline line < names) > 0) failed[substr(line, index(line, ":") + 1)] = 1 }
        $2 in failed && /Test: / { name = $2 }
        /^<end of output>$/ && name != "" {
            print "The end of " name ":"
            for (at = (count > 40 ? count - 40 : 0); at < count; at++) print "  " lines[at]
            name = ""
        }
        /^-+$/ { count = 0; next }
        { lines[count++] = $0 }
    ' "build/$1/Testing/Temporary/LastTest.log"
    exit "$2"
}

scripts/install-packages.sh tests
scripts/build.sh debug release
# More tests at a time than processors: many of them wait for a peer, a guest or a browser.
for preset in debug release; do
    ctest --preset "$preset" -j "$((2 * $(nproc)))" || failed "$preset" $?
done
