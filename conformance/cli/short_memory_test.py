#!/usr/bin/env python3
"""short_memory_test.py WARPCHECK SHORT_MEMORY CAPTURES [SEED [RUNS]]

Runs WARPCHECK with SHORT_MEMORY preloaded (iw_short_memory.c). In each run one allocation fails, or one and all
later ones. The program must not crash, and must not report findings that it does not have with enough memory. It
may exit with 0 (conforms) only if its output is complete.
Confinement is off, so that the library can write how many allocations there were.
For small captures, every allocation fails in turn, or if RUNS is below 100, twice RUNS of them; for larger ones and for
the suite, RUNS of them; chosen by SEED.
"""
import concurrent.futures, contextlib, glob, os, random, re, shutil, subprocess, sys, tempfile

program, preload, captures = (os.path.abspath(path) for path in sys.argv[1:4])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
runs = int(sys.argv[5]) if len(sys.argv) > 5 else 150
small = 2 * runs if runs < 100 else None
draw = random.Random(seed)
complaints = []

FORMS = {"text": [], "decode": ["--decode"], "fields": ["--fields"], "jsonl": ["--format", "jsonl"],
         "junit": ["--format", "junit"], "html": ["--format", "html"]}


def environment_of(at=0, onward=False, count=None, leaks=False):
    """The environment of a program with SHORT_MEMORY preloaded. `leaks`: a sanitizer reports memory that is not freed."""
    environment = dict(os.environ, LD_PRELOAD=preload, IW_SHORT_MEMORY_AT=str(at))
    # The preloaded library comes before the sanitizer's library. A failed allocation must return NULL.
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=%d" % leaks
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
        """Ends the device and returns its exit code."""
        self.process.terminate()
        self.err = self.process.communicate(timeout=60)[1]
        return self.process.returncode


class Run:
    """A run of the program; if `at` is 0, no allocation fails. The arguments {PEER} and {AGENT} become the addresses
    of a new device, {RESUMED} a copy of the folder `resumed`."""

    resumed = None

    def __init__(self, arguments, at=0, onward=False, count=None):
        device = Device() if "{PEER}" in arguments else None
        words = {**(device.addresses if device else {}), "{RESUMED}": "resumed"}
        with tempfile.TemporaryDirectory() as folder:
            if "{RESUMED}" in arguments:
                shutil.copytree(self.resumed, os.path.join(folder, "resumed"))
            done = subprocess.run([program] + [words.get(word, word) for word in arguments],
                                  env=environment_of(at, onward, count, leaks=arguments[0] == "explain"), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120, cwd=folder)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode(errors="replace")
            # The files of a run over a real network differ in each run.
            for name in [] if device else sorted(glob.glob(os.path.join(folder, "**", "*.*"), recursive=True)):
                if not name.endswith((".pcapng", ".tar", ".part")):
                    self.out += open(name, "rb").read()
            self.out = re.sub(rb"20\d\d-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\dZ?", b"TIME", self.out)
        if device:
            device.end()
        self.command = arguments[0]
        self.what = "%s with allocation %d%s failing" % (" ".join(arguments), at, " and all after" if onward else "")

    def findings(self):
        """Requirement, frame and side of each finding, and each cause, as far as the format shows them."""
        text = self.out.decode(errors="replace")
        found = set(re.findall(r'"frame":(\d+),"time":"[^"]*","side":"(\w+)","requirement":"([^"]+)"', text))
        found |= set(re.findall(r' cause: .* \[([a-z-]+)\]', text)) | set(re.findall(r'"cause":"([a-z-]+)"', text))
        found.discard("capture-limit")  # the note that memory hid something
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
        complain(run, "an invalid exit code")
    elif run.code == 0 and (whole.code != 0 or run.out != whole.out):
        complain(run, "exit code 0, but different output")
    elif run.command in ("report", "verify-bundle") and run.code < 3 and (run.code != whole.code or run.out != whole.out):
        complain(run, "gives a verdict, but the report differs")
    elif not run.findings() <= whole.findings():
        complain(run, "additional findings: %s" % sorted(run.findings() - whole.findings(), key=repr))
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
    return ["check", "--confine", "off", *options, *FORMS[form], os.path.join(captures, capture)]


def jobs(failing):
    # A conforming connection, one with a gap, one with a violation, and a split Request.
    for form in ("text", "decode", "fields", "jsonl"):
        yield from attempts(check(form, "vectors/atomics.pcap", "-j", "1"), small)
    for capture in ("oddities/lost_send.pcap", "oddities/badcrc.pcap", "oddities/split_req.pcap"):
        yield from attempts(check("jsonl", capture, "-j", "1"), small)
        yield from attempts(check("decode", capture, "-j", "1"), small)
    # A cause, retransmissions, and the protocol above.
    for form, capture in (("text", "stag_invalidated"), ("jsonl", "mtu_black_hole"), ("html", "response_stopped")):
        yield from attempts(["explain", "--confine", "off", "-j", "1", "--format", form,
                             os.path.join(captures, "causes", capture + ".pcap")], small)
    yield from attempts(["explain", "--confine", "off", "-j", "2", os.path.join(captures, "upper/rpc.pcap")], runs)
    # Other formats and captures, and several threads: some allocations.
    for form in ("junit", "html"):
        yield from attempts(check(form, "oddities/badcrc.pcap", "-j", "1"), runs)
    for capture in ("oddities/markers_both_1per.pcap", "impairment/disorder.pcapng", "rules/rfc5040_read.pcap",
                    "rules/rfc5043_session.pcap", "rules/rfc5044_fpdu.pcap"):
        yield from attempts(check("jsonl", capture, "-j", "2"), runs)
    # Cases of the suite with the embedded reference. Not over SCTP: usrsctp crashes without memory.
    for case in ("mpa-crc-005", "rdma-read-001", "rdma-send-001"):
        yield from attempts(["run", "--simulate", "--only", "^%s$" % case], runs // 3)
    # The same with an agent in another process, whose lines are read.
    yield from attempts(["run", "--peer", "{PEER}", "--agent", "{AGENT}", "--no-preflight", "--only", "^rdma-read-001$"], runs // 3)
    # Scripts: from a capture, and played.
    yield from attempts(["script", "--confine", "off", os.path.join(captures, "oddities/badcrc.pcap")], runs // 3)
    script = os.path.join(os.path.dirname(captures), "generator", "examples", "wrong_crc.lua")
    yield from attempts(["synth", script, "-o", "x.pcapng"], runs // 3)
    yield from attempts(["extcap", "--extcap-interface", "iwarp-memory", "--capture", "--fifo", "x.pcapng", "--script",
                         failing], runs // 3)


def attempt_device(job):
    """Allocations fail in the device and its agent, but not in the suite."""
    at, onward = job
    device = Device(environment_of(at, onward))
    if len(device.addresses) == 2:
        subprocess.run([program, "run", "--peer", device.addresses["{PEER}"], "--agent", device.addresses["{AGENT}"],
                        "--no-preflight", "--only", "^rdma-read-001$"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    device.code = device.end()
    device.what = "serve with allocation %d%s failing" % (at, " and all after" if onward else "")
    if device.code < 0 or "Sanitizer" in device.err or "ssertion" in device.err:
        complain(device, "crashed")
    elif device.code >= 3 and not re.search(r"(?m)^warpcheck[: ]", device.err):
        complain(device, "does not say why")


def resume_jobs(results):
    """Jobs that resume a run without its last cases."""
    Run.resumed = shutil.copytree(results, os.path.join(os.path.dirname(results), "resumed"))
    path = os.path.join(Run.resumed, "results.jsonl")
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line for line in lines[:-1] if '"case":"mpa-crc-005"' not in line)
    yield from attempts(["run", "--resume", "{RESUMED}"], runs // 3)


def report_jobs(results):
    for form in ("text", "jsonl", "junit", "html", "matrix"):
        yield from attempts(["report", "--confine", "off", "--format", form, results], runs)
    yield from attempts(["report", "--confine", "off", "--format", "text", "--bundle", "run.tar", results], runs)
    bundle = os.path.join(os.path.dirname(results), "bundle.tar")
    subprocess.run([program, "report", "--bundle", bundle, results], stdout=subprocess.PIPE, check=False)
    yield from attempts(["verify-bundle", "--confine", "off", bundle], runs)


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = os.path.join(folder, "results")
        # Cases that pass, cases that do not apply, and cases that fail with findings.
        ran = Run(["run", "--simulate", "--defect", "crc-wrong", "--only", "^mpa-crc-00", "--out", results])
        if ran.code != 1:
            complain(ran, "the run that is to be reported")
        # A script that fails, so that its output is printed.
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
