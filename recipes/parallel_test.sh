#!/bin/sh
# parallel.sh on this machine, and on two "hosts": sshd on this machine, with keys made for this test.
# Usage: parallel_test.sh WARPCHECK IW_TRAFFIC
sshd=$(PATH=$PATH:/usr/sbin command -v sshd)
for tool in parallel rsync ssh ssh-keygen "${sshd:-sshd}"; do
    command -v "$tool" >/dev/null || { echo "not available: $tool: skipped"; exit 77; }
done
# shellcheck source=recipes/capture.sh
. "$(dirname "$(realpath "$0")")/capture.sh"
# parallel stores its settings there
PARALLEL_HOME=$work/parallel
export PARALLEL_HOME WARPCHECK="$program"
mkdir "$PARALLEL_HOME"
trap 'rm -rf "$work"' EXIT

# sshd needs this folder if root starts it.
made=
[ "$(id -u)" -ne 0 ] || [ -d /run/sshd ] || { mkdir /run/sshd && made=/run/sshd; }
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
server=
for port in 22122 22123 22124 22125; do
    cat >"$work/sshd_config" <<END
ListenAddress 127.0.0.1:$port
HostKey $work/host
AuthorizedKeysFile $work/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
END
    "$sshd" -D -e -f "$work/sshd_config" 2>"$work/sshd.log" &
    server=$!
    # It either listens or ends.
    until grep -qE 'Server listening|Cannot bind|fatal' "$work/sshd.log" || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
    grep -q 'Server listening' "$work/sshd.log" && break
    wait $server
    server=
done
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$work"; [ -z "$made" ] || rmdir "$made"' EXIT
[ -n "$server" ] || { cat "$work/sshd.log" >&2; exit 99; }
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f 1,2 "$work/host.pub")" >"$work/known"
cat >"$work/ssh" <<END
#!/bin/sh
exec ssh -F none -i $work/user -o UserKnownHostsFile=$work/known -o StrictHostKeyChecking=yes -o BatchMode=yes "\$@"
END
chmod +x "$work/ssh"

"$recipes/parallel.sh" here 5 big-1.pcap big-2.pcap big-3.pcap 2>parallel.log
same here $?

export PARALLEL_SSH="$work/ssh -p $port"
SSHLOGIN=2/127.0.0.1 "$recipes/parallel.sh" there 5 big-1.pcap big-2.pcap big-3.pcap 2>parallel.log
same there $?
# Each transferred shard opens connections.
[ "$(grep -c 'Accepted publickey' "$work/sshd.log")" -ge 5 ] || complain "the shards were not checked over ssh: $(cat "$work/sshd.log" parallel.log)"

# A shard that cannot be checked is an error, not a missing part of the results.
WARPCHECK=/nonexistent "$recipes/parallel.sh" wrong 2 big-1.pcap 2>/dev/null && complain "a missing program is no error"
[ ! -e wrong/results.jsonl ] || complain "results without a check"

# Shards of an earlier run are not those of this capture.
"$recipes/parallel.sh" here 5 big-1.pcap 2>parallel.log
code=$?
[ $code -eq 3 ] || complain "a folder with other shards: exit code $code"
grep -q '^parallel.sh: here has shards already' parallel.log || complain "said: $(cat parallel.log)"

# A split that writes nothing is no verdict.
"$recipes/parallel.sh" zero 0 big-1.pcap 2>parallel.log
code=$?
[ $code -eq 3 ] || complain "no shards: exit code $code"

"$recipes/parallel.sh" missing 2 missing.pcap 2>parallel.log
code=$?
[ $code -eq 3 ] || complain "a missing capture: exit code $code"

# A truncated capture has results, and the exit code of one check.
head -c 100000 big-1.pcap >short.pcap
"$program" check --format jsonl short.pcap >whole 2>/dev/null
code=$?
"$recipes/parallel.sh" short 3 short.pcap 2>parallel.log
same short $?

# A shard that ends without results is an error, and no verdict.
# shellcheck disable=SC2016  # expanded by the program that is written
printf '#!/bin/sh\n[ "$1" != check ] || kill -KILL $$\nexec "%s" "$@"\n' "$program" >broken
chmod +x broken
WARPCHECK=$work/broken "$recipes/parallel.sh" broken.out 2 big-1.pcap 2>parallel.log
code=$?
[ $code -eq 3 ] || complain "a check without results: exit code $code"
exit $failed
