#!/bin/sh
# The options of warpcheck-agent, hosts without the device, and the libraries it needs. Usage: options_test.sh WARPCHECK-AGENT tls|plain
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE 'LINE' [OPTION...]: the exit code, and the first line on stderr.
expect() {
    code=$1 line=$2
    shift 2
    "$program" "$@" >"$work/out" 2>"$work/err"
    actual=$?
    [ "$actual" -eq "$code" ] || {
        echo "exit code $actual, not $code: $*"
        failed=1
    }
    head -n 1 "$work/err" | grep -qxE "$line" || {
        echo "said: $(head -n 1 "$work/err"): $*"
        failed=1
    }
}

expect 3 'warpcheck-agent: --listen is missing; see --help'
expect 3 'warpcheck-agent: --listen takes \[HOST:\]PORT, not 65536' --listen 65536
expect 3 'warpcheck-agent: --listen takes \[HOST:\]PORT, not :7' --listen :7
expect 3 'warpcheck-agent: --listen 192\.0\.2\.7 needs --token-file, --tls-psk or --tls-ca, as other hosts can reach it' --listen 192.0.2.7:7
echo secret >"$work/token"
chmod 644 "$work/token"
expect 3 "warpcheck-agent: $work/token: other users can use this secret \\(mode 0644\\): chmod 600" --listen 7 --token-file "$work/token" --device no-such-device
chmod 600 "$work/token"
expect 3 'warpcheck-agent: --listen 192\.0\.2\.7 needs --tls, or --insecure, as other hosts can reach it' --listen 192.0.2.7:7 --token-file "$work/token"
expect 3 'warpcheck-agent: no RDMA device.*' --listen 192.0.2.7:7 --token-file "$work/token" --insecure --device no-such-device
libraries='ibverbs|rdmacm|jansson|c|m|pthread|gcc_s|asan|ubsan|tsan'
if [ "$2" = tls ]; then
    libraries="$libraries|ssl|crypto"
    (umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$work/psk")
    expect 3 'warpcheck-agent: no RDMA device.*' --listen 192.0.2.7:7 --tls-psk "$work/psk" --device no-such-device
    expect 3 'warpcheck-agent: --tls: this side needs a certificate or a pre-shared key' --listen 7 --tls
    expect 3 'warpcheck-agent: --tls: /nonexistent: No such file or directory' --listen 7 --tls-psk /nonexistent
    expect 3 "warpcheck-agent: --tls: $work/token: its first line must be a key of 32 to 128 hexadecimal digits" --listen 7 --tls-psk "$work/token"
    expect 3 'warpcheck-agent: --tls: a pre-shared key and certificates exclude each other' --listen 7 --tls-psk "$work/psk" --tls-ca "$work/ca"
else
    expect 3 'warpcheck-agent: --tls: this program was built without TLS' --listen 7 --tls
fi
expect 3 'warpcheck-agent: --token-file: /nonexistent: No such file or directory' --token-file /nonexistent
expect 3 'warpcheck-agent: --rev takes 1 or 2, not 3' --rev 3
expect 3 'warpcheck-agent: --port takes a number up to 65535, not x' --port x
expect 3 'warpcheck-agent: unexpected argument more \(see warpcheck-agent --help\)' --listen 0 more
expect 3 'warpcheck-agent: no RDMA device.*' --listen 0 --device no-such-device
expect 3 'warpcheck-agent: unknown option --lisen \(did you mean --listen\?\)' --lisen 0
"$program" --help >"$work/out" 2>"$work/err" || failed=1
grep -q '^Usage: warpcheck-agent --listen ' "$work/out" || failed=1

# Only the libraries of docs/agent.md, and those of the C compiler and its sanitizers.
readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$work/needed"
grep -q '^libibverbs\.so' "$work/needed" || failed=1
if grep -vE "^(lib($libraries)|ld-linux.*)\.so" "$work/needed"; then
    echo "are needed, too"
    failed=1
fi
exit "$failed"
