#!/bin/bash
# hardening_test.sh COMPILER FILE=FUNCTION...: each ELF file, a program or a shared object, is protected: independent of its position,
# relocations read-only after the start, no executable stack, checked stack frames and string functions, probed large frames, and
# branch targets marked. FUNCTION is one that the file contains and that is called from outside of it.
# For another processor, OBJDUMP is its disassembler, and CFLAGS are options of its compiler.
# At last, programs that lack one protection each must be detected, so that this test can fail.
set -euo pipefail
export LC_ALL=C
compiler=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints what the file lacks, one word a line. The word `probe` is for programs with large frames.
lacks() { # FILE FUNCTION [probe]
    readelf --wide --file-header --program-headers --dynamic --dyn-syms "$1" >"$work/elf"
    "${OBJDUMP:-objdump}" --disassemble --no-show-raw-insn "$1" >"$work/code"
    has() { grep -qE -- "$1" "$work/elf" || echo "$2"; }
    has 'Type: +DYN' position-independent
    has '^ *GNU_RELRO' relro
    has '\((FLAGS|FLAGS_1)\).*\b(BIND_NOW|NOW)\b' bind-now
    has '^ *GNU_STACK( +0x0+){3}' stack-segment
    ! grep -qE '^ *GNU_STACK .* RWE ' "$work/elf" || echo executable-stack
    ! grep -q '(TEXTREL)' "$work/elf" || echo text-relocations
    has ' UND __stack_chk_fail' stack-protector
    has ' UND __[a-z_]+_chk\b' fortify
    # shellcheck disable=SC2016  # an immediate value begins with $
    case $(sed -n 's/^ *Machine: *//p' "$work/elf") in
    *X86-64*)
        target='\<endbr64\>' probe='sub +\$0x1000,%rsp (or|mov)q +\$0x0,\(%rsp\)'
        ;;
    AArch64)
        target='\<(paciasp|bti)\>' probe='sub sp, sp, #0x10, lsl #12 str xzr, \[sp, #1024\]'
        ;;
    *) return 0 ;;
    esac
    # The first instruction of the function.
    grep -A1 -E "^[0-9a-f]+ <$2>:" "$work/code" | tail -n 1 | grep -qE "$target" || echo branch-protection
    # Two instructions after each other: one makes room for a page, the next touches it.
    [ "${3:-}" != probe ] || awk '{ $1 = ""; printf "%s", $0 }' "$work/code" | grep -qE "$probe" || echo stack-clash-protection
}

status=0
for item; do
    file=${item%%=*} rest=${item#*=}
    # shellcheck disable=SC2086  # a function, and the word
    missing=$(lacks "$file" ${rest/,/ } | tr '\n' ' ')
    [ -z "$missing" ] || { echo "hardening: $file lacks: $missing"; status=1; }
done

# A small program that gives the compiler a reason for each protection.
cat >"$work/small.c" <<'SOURCE'
#include <stdio.h>
#include <string.h>
int main(int count, char **arguments)
{
    char text[200000];
    strcpy(text, arguments[count - 1]);
    return puts(text) < 0;
}
SOURCE
machine=$("$compiler" -dumpmachine)
branch=-fcf-protection=full none=-fcf-protection=none
case $machine in
x86_64-*) ;;
aarch64-*) branch=-mbranch-protection=standard none=-mbranch-protection=none ;;
*) branch='' none='' ;;
esac
all="-O2 -fPIE -pie -Wl,-z,relro,-z,now,-z,noexecstack -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE
 -D_FORTIFY_SOURCE=2 $branch"
# must_lack EXPECTED OPTION...: with all protections and then the options, the file lacks what is expected and no more.
must_lack() {
    expected=$1
    shift
    # shellcheck disable=SC2086  # options
    "$compiler" ${CFLAGS:-} $all "$@" "$work/small.c" -o "$work/small"
    found=$(lacks "$work/small" main probe | tr '\n' ' ')
    [ "$found" = "${expected:+$expected }" ] || { echo "hardening: with $*, found '$found', not '$expected'"; status=1; }
}
must_lack ''
must_lack position-independent -no-pie -fno-pie
must_lack relro -Wl,-z,norelro
must_lack bind-now -Wl,-z,lazy
must_lack executable-stack -Wl,-z,execstack
must_lack stack-protector -fno-stack-protector
must_lack fortify -U_FORTIFY_SOURCE
if [ -n "$branch" ]; then
    must_lack branch-protection "$none"
    must_lack stack-clash-protection -fno-stack-clash-protection
fi
exit $status
