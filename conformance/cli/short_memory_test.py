#!/usr/bin/env python3
"""short_memory_test.py WARPCHECK SHORT_MEMORY CAPTURES [SEED [RUNS]]

Runs WARPCHECK with SHORT_MEMORY preloaded (iw_short_memory.c), each allocation failing in turn: alone, and
with all after it. Whatever fails, the program does not crash, accuses nobody of what it did not find before,
and says "conforms" (exit 0) only with the output that it has with all the memory.

Small captures are tried with every allocation, larger ones and the suite with RUNS of them, drawn by SEED.
"""
import concurrent.futures, glob, os, random, re, subprocess, sys, tempfile

program, preload, captures = (os.path.abspath(path) for path in sys.argv[1:4])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
runs = int(sys.argv[5]) if len(sys.argv) > 5 else 150
draw = random.Random(seed)
complaints = []

FORMS = {"text": [], "decode": ["--decode"], "fields": ["--fields"], "jsonl": ["--format", "jsonl"],
         "junit": ["--format", "junit"], "html": ["--format", "html"]}


class Run:
    """What the program did: with its memory whole, if `at` is 0."""

    def __init__(self, arguments, at=0, onward=False, count=None):
        environment = dict(os.environ, LD_PRELOAD=preload, IW_SHORT_MEMORY_AT=str(at))
        # The preloaded library stands before the sanitizer's; memory that is not there is what is tested.
        environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0"
        if onward:
            environment["IW_SHORT_MEMORY_ONWARD"] = "1"
        if count:
            environment["IW_SHORT_MEMORY_COUNT"] = count
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program] + arguments, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120, cwd=folder)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode(errors="replace")
            for name in sorted(glob.glob(os.path.join(folder, "**", "*.*"), recursive=True)):
                if not name.endswith(".pcapng") and not name.endswith(".tar"):
                    self.out += open(name, "rb").read()
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
    elif run.command == "report" and run.code < 3 and (run.code != whole.code or run.out != whole.out):
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


def jobs():
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


def report_jobs(results):
    for form in ("text", "jsonl", "junit", "html", "matrix"):
        yield from attempts(["report", "--format", form, results], runs)
    yield from attempts(["report", "--format", "text", "--bundle", "run.tar", results], runs)


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        # Some that pass, some that do not apply, some that fail with findings.
        ran = Run(["run", "--simulate", "--defect", "crc-wrong", "--only", "^mpa-crc-00", "--out", folder])
        if ran.code != 1:
            complain(ran, "the run that is to be reported")
        total = sum(1 for _ in pool.map(attempt, list(report_jobs(folder)) + list(jobs())))
    for complaint in complaints[:20]:
        print(complaint)
    print("%d runs, seed %d: %d complaints" % (total, seed, len(complaints)))
    return 1 if complaints or total < 100 else 0


sys.exit(main())
