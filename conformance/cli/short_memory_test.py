#!/usr/bin/env python3
"""short_memory_test.py WARPCHECK SHORT_MEMORY CAPTURES [SEED [RUNS]]

Runs WARPCHECK with SHORT_MEMORY preloaded (iw_short_memory.c), each allocation failing in turn: alone, and
with all after it. Whatever fails, the program does not crash, accuses nobody of what it did not find before,
and says "conforms" (exit 0) only with the output that it has with all the memory.

Small captures are tried with every allocation, larger ones and the suite with RUNS of them, drawn by SEED.
"""
import concurrent.futures, contextlib, glob, os, random, re, shutil, subprocess, sys, tempfile

program, preload, captures = (os.path.abspath(path) for path in sys.argv[1:4])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
runs = int(sys.argv[5]) if len(sys.argv) > 5 else 150
draw = random.Random(seed)
complaints = []

FORMS = {"text": [], "decode": ["--decode"], "fields": ["--fields"], "jsonl": ["--format", "jsonl"],
         "junit": ["--format", "junit"], "html": ["--format", "html"]}


def environment_of(at=0, onward=False, count=None):
    """Of a program with SHORT_MEMORY preloaded."""
    environment = dict(os.environ, LD_PRELOAD=preload, IW_SHORT_MEMORY_AT=str(at))
    # The preloaded library stands before the sanitizer's; memory that is not there is what is tested.
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0"
    if onward:
        environment["IW_SHORT_MEMORY_ONWARD"] = "1"
    if count:
        environment["IW_SHORT_MEMORY_COUNT"] = count
    return environment


class Device:
    """A device with its agent, on this host."""

    def __init__(self, environment=None):
        self.process = subprocess.Popen([program, "serve", "--quiet", "--listen", "127.0.0.1:0", "--agent", "127.0.0.1:0"],
                                        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addresses, self.err = {}, ""
        for line in self.process.stdout:
            place = re.match(r"(listening|agent) on (\S+)", line)
            if place:
                self.addresses["{PEER}" if place.group(1) == "listening" else "{AGENT}"] = place.group(2)
            if len(self.addresses) == 2:
                break

    def end(self):
        """What it ended with."""
        self.process.terminate()
        self.err = self.process.communicate(timeout=60)[1]
        return self.process.returncode


class Run:
    """What the program did: with its memory whole, if `at` is 0. Of the arguments, {PEER} and {AGENT} are the
    addresses of a device of its own, and {RESUMED} is a copy of the folder `resumed`."""

    resumed = None

    def __init__(self, arguments, at=0, onward=False, count=None):
        device = Device() if "{PEER}" in arguments else None
        words = {**(device.addresses if device else {}), "{RESUMED}": "resumed"}
        with tempfile.TemporaryDirectory() as folder:
            if "{RESUMED}" in arguments:
                shutil.copytree(self.resumed, os.path.join(folder, "resumed"))
            done = subprocess.run([program] + [words.get(word, word) for word in arguments],
                                  env=environment_of(at, onward, count), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120, cwd=folder)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode(errors="replace")
            # The octets of a real network are others in each run.
            for name in [] if device else sorted(glob.glob(os.path.join(folder, "**", "*.*"), recursive=True)):
                if not name.endswith((".pcapng", ".tar")):
                    self.out += open(name, "rb").read()
        if device:
            device.end()
        self.command = arguments[0]
        self.what = "%s with allocation %d%s failing" % (" ".join(arguments), at, " and all after" if onward else "")

    def findings(self):
        """The requirement, frame and side of each, as far as the form tells."""
        text = self.out.decode(errors="replace")
        found = set(re.findall(r'"frame":(\d+),"time":"[^"]*","side":"(\w+)","requirement":"([^"]+)"', text))
        frame = None
        for line in text.splitlines():
            event = re.match(r"(\d+) \[", line)
            frame = event.group(1) if event else frame
            finding = re.match(r"    ! \w+ (\S+) \([^)]*\) (\w+)", line)
            if finding:
                found.add((frame, finding.group(2), finding.group(1)))
        return found


def complain(run, why):
    complaints.append("%s: %s (exit %d)\n%s" % (run.what, why, run.code, run.err[-2000:]))


def judge(whole, run):
    if run.code < 0 or "Sanitizer" in run.err or "ssertion" in run.err:
        complain(run, "crashed")
    elif run.code not in range(5):
        complain(run, "an exit code that is none")
    elif run.code == 0 and (whole.code != 0 or run.out != whole.out):
        complain(run, "conforms, and the output is another one")
    elif run.command in ("report", "verify-bundle") and run.code < 3 and (run.code != whole.code or run.out != whole.out):
        complain(run, "gives a verdict, and the report is another one")
    elif not run.findings() <= whole.findings():
        complain(run, "accuses of %s" % sorted(run.findings() - whole.findings()))
    elif run.code >= 3 and run.code != whole.code and not re.search(r"(?m)^warpcheck[: ]", run.err):
        complain(run, "does not say why")


def count_of(arguments):
    with tempfile.NamedTemporaryFile() as file:
        whole = Run(arguments, count=file.name)
        return whole, int(open(file.name).read() or 0)


def attempts(arguments, most=None):
    whole, count = count_of(arguments)
    if whole.code < 0 or count < 10:
        complain(whole, "%d allocations" % count)
    places = [(at, onward) for at in range(1, count + 1) for onward in (False, True)]
    if most is not None and len(places) > most:
        places = draw.sample(places, most)
    return [(whole, arguments, at, onward) for at, onward in places]


def attempt(job):
    whole, arguments, at, onward = job
    judge(whole, Run(arguments, at, onward))


def check(form, capture, *options):
    return ["check", *options, *FORMS[form], os.path.join(captures, capture)]


def jobs(failing):
    # One connection without fault, one with a gap, one violation, and SCTP: all allocations.
    for form in ("text", "decode", "fields", "jsonl"):
        yield from attempts(check(form, "vectors/atomics.pcap", "-j", "1"))
    for capture in ("oddities/lost_send.pcap", "oddities/badcrc.pcap", "oddities/split_req.pcap"):
        yield from attempts(check("jsonl", capture, "-j", "1"))
        yield from attempts(check("decode", capture, "-j", "1"))
    # The others, and several threads, by chance.
    for form in ("junit", "html"):
        yield from attempts(check(form, "oddities/badcrc.pcap", "-j", "1"), runs)
    for capture in ("oddities/markers_both_1per.pcap", "hardship/disorder.pcapng", "rules/rfc5040_read.pcap",
                    "rules/rfc5043_session.pcap", "rules/rfc5044_fpdu.pcap"):
        yield from attempts(check("jsonl", capture, "-j", "2"), runs)
    # A case of the suite with its device. Over SCTP usrsctp crashes where it has no memory.
    for case in ("mpa-crc-005", "rdma-read-001", "rdma-send-001"):
        yield from attempts(["run", "--simulate", "--only", "^%s$" % case], runs // 3)
    # The same with an agent in another process, whose lines are read.
    yield from attempts(["run", "--peer", "{PEER}", "--agent", "{AGENT}", "--only", "^rdma-read-001$"], runs // 3)
    # Scripts: from a capture, and played.
    yield from attempts(["script", os.path.join(captures, "oddities/badcrc.pcap")], runs // 3)
    script = os.path.join(os.path.dirname(captures), "generator", "examples", "wrong_crc.lua")
    yield from attempts(["synth", script, "-o", "x.pcapng"], runs // 3)
    yield from attempts(["extcap", "--extcap-interface", "iwarp-memory", "--capture", "--fifo", "x.pcapng", "--script",
                         failing], runs // 3)


def attempt_device(job):
    """The device and its agent have no memory, and the suite has."""
    at, onward = job
    device = Device(environment_of(at, onward))
    if len(device.addresses) == 2:
        subprocess.run([program, "run", "--peer", device.addresses["{PEER}"], "--agent", device.addresses["{AGENT}"],
                        "--only", "^rdma-read-001$"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    device.code = device.end()
    device.what = "serve with allocation %d%s failing" % (at, " and all after" if onward else "")
    if device.code < 0 or "Sanitizer" in device.err or "ssertion" in device.err:
        complain(device, "crashed")
    elif device.code >= 3 and not re.search(r"(?m)^warpcheck[: ]", device.err):
        complain(device, "does not say why")


def resume_jobs(results):
    """Of a run that was ended before its last cases."""
    Run.resumed = shutil.copytree(results, os.path.join(os.path.dirname(results), "resumed"))
    path = os.path.join(Run.resumed, "results.jsonl")
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line for line in lines[:-1] if '"case":"mpa-crc-005"' not in line)
    yield from attempts(["run", "--resume", "{RESUMED}"], runs // 3)


def report_jobs(results):
    for form in ("text", "jsonl", "junit", "html", "matrix"):
        yield from attempts(["report", "--format", form, results], runs)
    yield from attempts(["report", "--format", "text", "--bundle", "run.tar", results], runs)
    bundle = os.path.join(os.path.dirname(results), "bundle.tar")
    subprocess.run([program, "report", "--bundle", bundle, results], stdout=subprocess.PIPE, check=False)
    yield from attempts(["verify-bundle", bundle], runs)


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = os.path.join(folder, "results")
        # Some that pass, some that do not apply, some that fail with findings.
        ran = Run(["run", "--simulate", "--defect", "crc-wrong", "--only", "^mpa-crc-00", "--out", results])
        if ran.code != 1:
            complain(ran, "the run that is to be reported")
        # A script that fails, so that what it has said is told.
        failing = os.path.join(folder, "failing.lua")
        with open(failing, "w", encoding="utf-8") as file:
            file.write("error('as asked')\n")
        todo = list(report_jobs(results)) + list(jobs(failing)) + list(resume_jobs(results))
        total = sum(1 for _ in pool.map(attempt, todo))
        total += sum(1 for _ in pool.map(attempt_device, [(draw.randint(1, 3000), draw.random() < 0.5)
                                                          for _ in range(runs // 6)]))
    for complaint in complaints[:20]:
        print(complaint)
    print("%d runs, seed %d: %d complaints" % (total, seed, len(complaints)))
    return 1 if complaints or total < 100 else 0


sys.exit(main())
