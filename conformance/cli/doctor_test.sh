#!/bin/sh
# What `doctor` says of environments that the test makes: other versions of Wireshark, other rights, a port in use.
# Usage: doctor_test.sh WARPCHECK
here=$(dirname "$(realpath "$0")")
# shellcheck source=conformance/cli/expect.sh
. "$here/expect.sh"
version=$("$program" --version | sed 's/.* //')

# checks CODE 'LINE'... : the exit code for this check alone, and the line about it
checks() {
    code=$1 name=$2 line=$3
    expect "$code" '' doctor --only "^$name\$"
    says "^$line"
    # what is not ok says what to do
    [ "$code" -eq 0 ] || sed -n 2p "$work/out" | grep -q '^ .* for .*: ' || complain "no advice: $(cat "$work/out")" doctor
}

expect 3 'warpcheck doctor: no check selected' doctor --only frobs
expect 3 'warpcheck doctor: --format takes text or jsonl, not xml' doctor --format xml
expect 3 'warpcheck doctor: unexpected argument plugin: use --only plugin' doctor plugin
checks 0 program "ok       program    warpcheck $version for "

# what `check` can do here
if "$program" check --confine required /dev/null 2>&1 | grep -q 'confine required'; then
    checks 2 confine 'missing  confine    '
else
    checks 0 confine 'ok       confine    system calls by seccomp, files by Landlock version '
fi

# The check names every command that can confine itself.
"$program" doctor --format jsonl --only '^confine$' >"$work/jsonl"
confined=0
for command in $("$program" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    "$program" "$command" --help | grep -q -- '--confine ' || continue
    confined=$((confined + 1))
    grep -q "\"about\":\"\([^\"]*, \)*${command}[,\"]" "$work/jsonl" || complain "does not name $command" doctor
done
[ $confined -ge 7 ] || complain "only $confined commands have --confine" doctor

# one object per line, with the same counts
"$program" doctor --format jsonl >"$work/jsonl"
[ $? -le 3 ] || complain "exit code" doctor --format jsonl
for status in ok missing wrong; do
    count=$(grep -c "\"status\":\"$status\"" "$work/jsonl")
    tail -n 1 "$work/jsonl" | grep -q "\"$status\":${count}[,}]" || complain "$count are $status, but: $(tail -n 1 "$work/jsonl")" doctor
done
[ "$(grep -c '"type":"check"' "$work/jsonl")" -eq $(($(wc -l <"$work/jsonl") - 1)) ] || complain 'not one object per check' doctor
! grep -v '"status":"ok"' "$work/jsonl" | grep '"type":"check"' | grep -qv '"advice":"..*"' || complain 'no advice' doctor

# an environment without programs
mkdir "$work/empty"
for name in tshark dumpcap ssh-keygen; do
    PATH=$work/empty "$program" doctor --only "^$name\$" >"$work/out" 2>&1
    [ $? -eq 2 ] || complain "exit $?" doctor --only $name
    says "^missing  $name "
done
PATH=$work/empty "$program" doctor --only '^extcap$' >"$work/out" 2>&1
says 'for scripts among .*: install Wireshark first$'

# another Wireshark: tshark that says what such a one says
mkdir -p "$work/bin" "$work/global/4.0/epan" "$work/global/4.4/epan" "$work/personal/4.4/epan" "$work/extcap"
cat >"$work/bin/tshark" <<TSHARK
#!/bin/sh
case "\$*" in
--version) echo "TShark (Wireshark) 4.4.7 (Git v4.4.7)." ;;
"-G folders") printf 'Personal Plugins:\t%s\nGlobal Plugins:\t%s\nExtcap path:\t%s\n' $work/personal/4.4 $work/global/4.4 $work/extcap ;;
"-G plugins") cat $work/plugins ;;
esac
TSHARK
chmod +x "$work/bin/tshark"
: >"$work/plugins"
PATH=$work/bin:$PATH
export PATH
unset WIRESHARK_EXTCAP_DIR
checks 0 tshark "ok       tshark     Wireshark 4\.4\.7, $work/bin/tshark\$"
checks 2 plugin 'missing  plugin     Wireshark 4\.4\.7 has no plugin iwarp\.so$'
: >"$work/global/4.0/epan/iwarp.so"
checks 3 plugin "wrong    plugin     Wireshark is 4\.4\.7, but the plugin is $work/global/4\.0/epan/iwarp\.so\$"
: >"$work/global/4.4/epan/iwarp.so"
checks 3 plugin "wrong    plugin     Wireshark 4\.4\.7 does not load $work/global/4\.4/epan/iwarp\.so\$"
ln -sf "$work/nowhere" "$work/global/4.4/epan/iwarp.so"
checks 3 plugin "wrong    plugin     $work/global/4\.4/epan/iwarp\.so is a link that points nowhere\$"
rm "$work/global/4.4/epan/iwarp.so"
: >"$work/global/4.4/epan/iwarp.so"
printf 'iwarp.so\t%s\tdissector\t%s\n' "$version" "$work/global/4.4/epan/iwarp.so" >"$work/plugins"
checks 0 plugin "ok       plugin     $work/global/4\.4/epan/iwarp\.so, loaded by Wireshark 4\.4\.7\$"
printf 'iwarp.so\t%s\tdissector\t%s\n' 0.0.1 "$work/global/4.4/epan/iwarp.so" >"$work/plugins"
checks 3 plugin "wrong    plugin     $work/global/4\.4/epan/iwarp\.so has version 0\.0\.1, the program $version\$"
checks 2 extcap 'missing  extcap '
ln -s "$work/nowhere" "$work/extcap/warpcheck-extcap"
checks 3 extcap "wrong    extcap     $work/extcap/warpcheck-extcap is a link that points nowhere\$"
ln -sf "$program" "$work/extcap/warpcheck-extcap"
checks 0 extcap "ok       extcap     $work/extcap/warpcheck-extcap\$"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/tshark"
checks 3 tshark "wrong    tshark     $work/bin/tshark --version fails\$"

# personal plugins: the Wireshark of root loads none of them; that of others loads both plugins, and complains
cat >"$work/bin/tshark" <<TSHARK
#!/bin/sh
case "\$*" in
--version) echo "TShark (Wireshark) 4.4.7 (Git v4.4.7)." ;;
"-G folders") printf 'Personal Plugins:\t%s\nGlobal Plugins:\t%s\n' $work/personal/4.4 $work/global/4.4 ;;
"-G plugins") cat $work/plugins ;;
esac
TSHARK
: >"$work/plugins"
mv "$work/global/4.4/epan/iwarp.so" "$work/personal/4.4/epan/iwarp.so"
rm "$work/global/4.0/epan/iwarp.so"
if [ "$(id -u)" -eq 0 ]; then
    checks 2 plugin "missing  plugin     $work/personal/4\.4/epan/iwarp\.so, but this is root\$"
else
    checks 3 plugin "wrong    plugin     Wireshark 4\.4\.7 does not load $work/personal/4\.4/epan/iwarp\.so\$"
    printf 'iwarp.so\t%s\tdissector\t%s\n' "$version" "$work/global/4.4/epan/iwarp.so" >"$work/plugins"
    cp "$work/personal/4.4/epan/iwarp.so" "$work/global/4.4/epan/iwarp.so"
    checks 3 plugin "wrong    plugin     two plugins: $work/global/4\.4/epan/iwarp\.so and $work/personal/4\.4/epan/iwarp\.so\$"
fi

# without capabilities
if [ "$(id -u)" -eq 0 ]; then
    setpriv --bounding-set=-all --inh-caps=-all "$program" doctor --only '^(live|sctp)$' >"$work/out" 2>&1
    [ $? -eq 2 ] || complain "exit $? without capabilities" doctor
    says '^missing  live       this process lacks CAP_NET_RAW$'
    says '^missing  sctp '
fi

# a port in use, in a network of its own; where the kernel allows one
cat >"$work/port" <<'PORT'
set -e
ip link set lo up
"$1" doctor --only port
mkfifo "$2/pipe"
"$1" serve --listen 127.0.0.1:20100 --quiet >"$2/pipe" &
read -r line <"$2/pipe"
"$1" doctor --only port || echo "exit $?"
kill $!
PORT
if unshare -rn ip link set lo up 2>/dev/null; then
    unshare -rn sh "$work/port" "$program" "$work" >"$work/out" 2>&1
    says '^ok       port       TCP port 20100 of 127\.0\.0\.1 is free$'
    says '^missing  port       TCP port 20100 of 127\.0\.0\.1: Address already in use$'
    says '^exit 2$'
fi
exit $failed
