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
# A python3 that only looks for the real one (pyenv) takes ten times as long to start, and the tests start it very often.
PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH
export PATH
scripts/build.sh debug release

# The tests that wait for an emulated guest run beside those with sanitizers, which leave it the processor. More tests at a time
# than processors: many wait for a peer or a browser. .ci/release runs the long ones.
jobs=$((2 * $(nproc)))
ctest --preset release -L siw -LE long -j "$jobs" >build/guests.log 2>&1 &
guests=$!
code=0 guests_code=0
nice -n 5 ctest --preset debug -j "$jobs" || code=$?
wait $guests || guests_code=$?
cat build/guests.log
[ $code -eq 0 ] || failed debug $code
[ $guests_code -eq 0 ] || failed release $guests_code
ctest --preset release -LE 'siw|long' -j "$jobs" --output-junit tests.xml || failed release $?
