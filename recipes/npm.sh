#!/bin/sh
# npm.sh FOLDER PACKAGE@VERSION: installs the package of npm into the folder, once. Exit code 77 if that is not possible here.
for tool in npm node; do
    command -v $tool >/dev/null || { echo "not available: $tool: skipped"; exit 77; }
done
[ ! -e "$1/complete" ] || exit 0
mkdir -p "$1" || exit 99
# Without an answer of the registry, npm repeats for minutes.
npm install --prefix "$1" --silent --no-audit --no-fund --ignore-scripts --fetch-retries=1 --fetch-timeout=20000 "$2" >/dev/null 2>&1 || {
    echo "not available: $2 of npm: skipped"
    exit 77
}
touch "$1/complete"
