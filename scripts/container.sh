#!/bin/bash
# container.sh [SUITE]: tests packaging/container/Containerfile. With podman or docker, and BASE, it builds the image and runs it. Otherwise it
# carries out the instructions of the Containerfile in bare trees of the suite (default: bookworm), without an image.
#   BASE  the base image with its digest, such as docker.io/library/debian@sha256:...
# Needs root, and debootstrap (scripts/install-packages.sh packages), for the trees.
# Exit code: 0 passed, 1 the recipe is wrong, 3 environment.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
recipe=packaging/container/Containerfile
fail() { echo "container: $*" >&2; exit 3; }
wrong() { echo "container: $*" >&2; exit 1; }

# Uses the image through a function that runs the program in it: run ARGUMENT...
use() {
    run --version | grep -q '^warpcheck ' || wrong "the program does not say its version"
    run run --simulate --no-out --only mpa-fpdu-00 | grep -qi pass || wrong "a case does not pass"
    run check /work/badcrc.pcap | grep -q RFC5044 || wrong "check does not find the wrong CRC"
}

for builder in podman docker; do
    # A program alone, without its service, builds nothing.
    if [ -n "${BASE:-}" ] && $builder info >/dev/null 2>&1; then
        $builder build -q -f $recipe --build-arg "BASE=$BASE" -t warpcheck-test . || wrong "$builder does not build the image"
        run() { $builder run --rm --network none -v "$PWD/captures/oddities:/work:ro" warpcheck-test "$@" || [ $? -eq 1 ]; }
        [ "$($builder run --rm --entrypoint id warpcheck-test -u)" != 0 ] || wrong "the image runs as root"
        use
        echo "container: built and used with $builder"
        exit
    fi
done

# shellcheck source=scripts/bare-tree.sh
. scripts/bare-tree.sh
bare_tree_begin container
stage='' entry=''
bare_tree_user='' bare_tree_folder=/
while read -r instruction rest; do
    case $instruction in
    '' | '#'*) continue ;;
    ARG) [ "$rest" = BASE ] || wrong "the base has a default: $rest" ;;
    FROM)
        read -r image _ stage <<<"$rest"
        # shellcheck disable=SC2016  # as it is written there
        [ "$image" = '${BASE}' ] || wrong "the base $image is not pinned"
        stage=${stage:-image} bare_tree_user='' bare_tree_folder=/
        bare_tree "$stage" "$suite"
        ;;
    COPY)
        read -r from to more <<<"$rest"
        if [ -n "$more" ]; then
            mkdir -p "$work/$stage$more"
            cp -a --no-preserve=ownership "$work/${from#--from=}$to/." "$work/$stage$more"
        else
            [ "$from" = . ] || wrong "COPY $rest is not understood"
            mkdir -p "$work/$stage$to"
            git ls-files -z | tar --null -T - -cf - | tar -C "$work/$stage$to" -xf -
        fi
        ;;
    RUN) bare_tree_run "$stage" "$rest" ;;
    USER) bare_tree_user=$rest ;;
    WORKDIR) mkdir -p "$work/$stage$rest" && bare_tree_folder=$rest ;;
    ENTRYPOINT) entry=$(tr -d '[]"' <<<"$rest") ;;
    CMD) ;;
    *) wrong "$instruction is not understood" ;;
    esac
    echo "$instruction $rest"
done <$recipe
case $bare_tree_user in '' | 0:* | root*) wrong "the image runs as root" ;; esac
cp captures/oddities/badcrc.pcap "$work/image/work/"
[[ ! -e $work/image/usr/bin/gcc && ! -e $work/image/source ]] || wrong "the image contains what only the build needs"
run() {
    # 1 is a verdict.
    bare_tree_run image "$entry $* || [ \$? -eq 1 ]"
    cat "$work/log"
}
use
du -sh --exclude=./proc --exclude=./dev --exclude=./sys "$work/image" | sed 's/\t.*/ in the tree of the image/'
echo "container: the instructions pass in bare trees of $suite; no image was built"
