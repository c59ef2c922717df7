#!/usr/bin/env python3
"""Forges bundles, and expects verify-bundle to notice. Usage: forger_test.py WARPCHECK [EVERY]; EVERY: 1 for all forgers.
Each forger changes the files of a real bundle of a failing device, and packs them with a MANIFEST that fits. A forgery must give exit
code 3 and a line that names it, or be one of those that only a signature shows; these must break the signature."""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PROGRAM = os.path.realpath(sys.argv[1])
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 1
RUN = ["--only", "^mpa-(crc|fpdu|marker)-00|^rdma-atomic-00", "--profile", "base", "--device", "NIC 1", "--firmware", "3"]
FAILING = "mpa-crc-005"  # fails by its script and by findings
FOUND = "mpa-fpdu-001"   # fails only by a finding of the monitor
PASSING = "mpa-fpdu-007"
UNCLAIMED = "rdma-atomic-001"
ASIDE = "rping-client-037"  # not applicable, but shows a violation
UNTESTED = "rdma-write-001"  # needs an agent
failures = []
counts = {"noticed": 0, "signed": 0}


def warpcheck(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)


class Bundle:
    """The files of a bundle, by name; the lines of results.jsonl as objects."""

    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.files = {member.name: archive.extractfile(member).read() for member in archive}
        self.lines = [json.loads(line) for line in self.files.pop("results.jsonl").splitlines()]
        del self.files["MANIFEST"]

    def header(self):
        return self.lines[0]

    def summary(self):
        return self.lines[-1]

    def cases(self):
        return [line for line in self.lines if line["type"] == "case"]

    def case(self, name):
        return next(line for line in self.cases() if line["case"] == name)

    def findings(self, name):
        return [line for line in self.lines if line["type"] == "finding" and line["case"] == name]

    def drop(self, unwanted):
        self.lines = [line for line in self.lines if not unwanted(line)]

    def edit(self, name, change):
        self.files[name] = change(self.files[name].decode()).encode()

    def json(self, name, **members):
        """Changes members of profile.json or suite.json."""
        value = json.loads(self.files[name])
        value.update(members)
        self.files[name] = json.dumps(value).encode()

    def verdict(self, name, verdict, message=None):
        """Gives a case this verdict, and removes the reasons of another."""
        case = self.case(name)
        for key in ("message", "expected", "actual", "script", "line", "step"):
            case.pop(key, None)
        case["verdict"] = verdict
        case["level"] = LEVELS[name]
        if message:
            case["message"] = message

    def log_verdict(self, name):
        """Makes the end of the log fit the results."""
        case = self.case(name)
        lines = [f"verdict: {case['verdict']}"]
        lines += [f"because: {case['message']}"] if "message" in case else []
        self.edit(name + ".log", lambda text: re.sub(
            r"\nverdict: .*?\n(?=close: )", "\n" + "\n".join(lines).replace("\\", "\\\\") + "\n", text, flags=re.S))

    def only(self, pattern):
        options = self.header()["options"]
        options[options.index("--only") + 1] = pattern

    def forget(self, name):
        """Removes the evidence of a case."""
        self.case(name).pop("file", None)
        for key in ("close", "terminate", "outstanding"):
            self.case(name).pop(key, None)
        self.case(name)["close_verdict"] = "not judged"
        self.drop(lambda line: line["type"] == "finding" and line["case"] == name)
        for end in (".log", ".pcapng"):
            del self.files[name + end]

    def recount(self):
        """Makes the counts, and the lines about coverage and violations, fit the cases: as `report` computes them."""
        summary = self.summary()
        verdicts = [case["verdict"] for case in self.cases()]
        summary["cases"] = len(verdicts)
        for key in ("pass", "fail", "warning", "note", "inconclusive", "not_tested", "not_applicable", "error"):
            summary[key] = verdicts.count(key.replace("_", " "))
        summary["wrong_closes"] = sum(case["close_verdict"] == "wrong" for case in self.cases())
        summary["exit"] = 1 if summary["fail"] + summary.get("wrong_claims", 0) else 2 if summary["inconclusive"] + summary["not_tested"] else 0
        self.drop(lambda line: line["type"] in ("violation", "requirement", "coverage"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.jsonl")
            with open(path, "w", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in self.lines)
            told = warpcheck("report", "--format", "jsonl", path).stdout.splitlines()
        derived = [line for line in map(json.loads, told) if line["type"] in ("violation", "requirement", "coverage")]
        self.lines[-1:-1] = derived

    def members(self):
        """The files to pack, MANIFEST first."""
        lines = [json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines]
        files = {**self.files, "results.jsonl": "".join(lines).encode()}
        manifest = "warpcheck-bundle 1\n" + "".join(
            f"{hashlib.sha256(octets).hexdigest()}  {len(octets)}  {name}\n" for name, octets in files.items())
        return [("MANIFEST", manifest.encode()), *files.items()]

    def pack(self, path, more=()):
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, octets in [*self.members(), *more]:
                member = tarfile.TarInfo(name)
                member.size = len(octets)
                archive.addfile(member, io.BytesIO(octets))


# ---- forgeries that verify-bundle notices: each with a pattern of the line that names it ----

NOTICED = []


def noticed(pattern, source="whole.tar"):
    def register(forger):
        NOTICED.append((forger, pattern, source))
        return forger
    return register


@noticed(f"{FAILING}.log: says \"fail\"")
def fail_to_pass(bundle):
    bundle.verdict(FAILING, "pass")
    bundle.recount()


@noticed(f"{FAILING}: is \"pass\", but its capture makes it \"fail\"")
def fail_to_pass_with_log(bundle):
    bundle.verdict(FAILING, "pass")
    bundle.log_verdict(FAILING)
    bundle.recount()


@noticed(f"{FOUND}: its capture shows 1 violation of a MUST by the device, the results have 0")
def fail_to_pass_without_findings(bundle):
    bundle.verdict(FOUND, "pass")
    bundle.log_verdict(FOUND)
    bundle.drop(lambda line: line["type"] == "finding" and line["case"] == FOUND)
    bundle.recount()


@noticed(f"{FAILING}: its failure follows from the finding 99, which did not end the stream in its capture")
def failure_that_follows_from_another_finding(bundle):
    bundle.case(FAILING)["follows"] = 99


@noticed(f"{FAILING}: its verdict is \"warning\", but a failed MUST gives \"fail\"")
def fail_to_warning(bundle):
    bundle.verdict(FAILING, "warning")
    bundle.log_verdict(FAILING)
    bundle.recount()


@noticed(f"{FAILING}: its level is \"SHOULD\"")
def fail_to_warning_of_lower_level(bundle):
    fail_to_warning(bundle)
    bundle.case(FAILING)["level"] = "SHOULD"


@noticed(f"{FAILING}: is \"not applicable\" .*, but it applies and can be tested")
def fail_to_not_applicable(bundle):
    bundle.verdict(FAILING, "not applicable", "needs what the device does not claim: no-crc")
    bundle.forget(FAILING)
    bundle.recount()


@noticed(f"{FAILING}: no case of crc.lua is not applicable because")
def fail_to_not_applicable_with_evidence(bundle):
    bundle.verdict(FAILING, "not applicable", "the device does not ask for Markers")
    bundle.log_verdict(FAILING)
    bundle.recount()


@noticed(f"{ASIDE}: is \"not applicable\", but its capture makes it \"fail\"", "aside.tar")
def violation_in_case_not_applicable_hidden(bundle):
    case = bundle.case(ASIDE)
    bundle.verdict(ASIDE, "not applicable", case.pop("checks_message"))
    case["close_verdict"] = "not judged"
    del case["checks"]
    bundle.log_verdict(ASIDE)
    bundle.recount()


@noticed(f"{ASIDE}: no case of rping_client.lua is not applicable because", "aside.tar")
def other_reason_of_checks(bundle):
    bundle.case(ASIDE)["checks_message"] = "the device is busy"


@noticed(f"{ASIDE}: is \"fail\", but its capture makes it \"error\"", "aside.tar")
def other_checks(bundle):
    bundle.case(ASIDE)["checks"] = "error"


@noticed("mpa-crc-001: is \"not applicable\" \\(needs an agent on the device \\(--agent\\)\\), but it applies")
def all_fails_to_not_applicable(bundle):
    for case in bundle.cases():
        if case["verdict"] == "fail":
            bundle.verdict(case["case"], "not applicable", "needs an agent on the device (--agent)")
            bundle.forget(case["case"])
    bundle.recount()


@noticed(f"{FAILING}: is \"not tested\" .*, but it applies and can be tested")
def fail_to_not_tested(bundle):
    bundle.verdict(FAILING, "not tested", "needs an agent on the device (--agent)")
    bundle.forget(FAILING)
    bundle.recount()


@noticed(f"{FAILING}: is \"pass\" without evidence")
def pass_without_evidence(bundle):
    bundle.verdict(FAILING, "pass")
    bundle.forget(FAILING)
    bundle.recount()


@noticed(f"{UNCLAIMED}: is \"pass\" .*, but it is \"not applicable\"")
def not_applicable_to_pass(bundle):
    bundle.verdict(UNCLAIMED, "pass")
    bundle.recount()


@noticed(f"{FAILING}: the run selected this case, but has no result")
def case_removed(bundle):
    bundle.forget(FAILING)
    bundle.drop(lambda line: line["type"] == "case" and line["case"] == FAILING)
    bundle.recount()


@noticed(f"{FAILING}.pcapng: belongs to no case")
def case_removed_but_not_its_files(bundle):
    bundle.drop(lambda line: line["type"] in ("case", "finding") and line["case"] == FAILING)
    bundle.recount()


@noticed("states 26 selected cases, but its options select 27|states [0-9]+ selected cases, but its options select")
def case_removed_and_selected_changed(bundle):
    case_removed(bundle)
    bundle.header()["selected"] -= 1


@noticed("its header does not state the requirements that its selected cases are about")
def requirements_of_selected_cases(bundle):
    bundle.header()["requirements"].remove("RFC5044-4.4-11")


@noticed("states 27 available cases, but there are")
def available_cases(bundle):
    """As if the run had selected all cases of the suite."""
    bundle.header()["available"] = bundle.header()["selected"] = 27


@noticed("its header does not state the requirements", "short.tar")
def cut_short_without_requirements(bundle):
    """Without them, the requirements of cases that were not run drop out of the coverage."""
    del bundle.header()["requirements"]


@noticed("mpa-crc-005: the run selected this case|accounts for [0-9]+ results")
def case_removed_and_unselected(bundle):
    case_removed(bundle)
    bundle.summary()["fail"] = 0


@noticed("its summary has fail 0, but there are")
def summary_counts(bundle):
    bundle.summary()["pass"] += bundle.summary()["fail"]
    bundle.summary().update(fail=0, exit=0)


@noticed("its summary has exit 2, but its cases give 1")
def summary_exit(bundle):
    bundle.summary()["exit"] = 2


@noticed("results.jsonl: has .*\"coverage\".*, but its cases give")
def coverage_line(bundle):
    line = next(line for line in bundle.lines if line["type"] == "coverage")
    line["passed"], line["failed"] = line["passed"] + line["failed"], 0


@noticed("results.jsonl: has .*\"requirement\".*, but its cases give")
def requirement_line(bundle):
    next(line for line in bundle.lines if line["type"] == "requirement" and line["state"] == "failed")["state"] = "passed"


@noticed("results.jsonl: has .*, but its cases give .*\"violation\"")
def violation_line(bundle):
    bundle.drop(lambda line: line["type"] == "violation")


@noticed(f"{FOUND}: its capture shows 1 violation of a MUST by the device, the results have 0")
def finding_removed(bundle):
    bundle.drop(lambda line: line["type"] == "finding" and line["case"] == FOUND)
    bundle.recount()


@noticed(f"{FOUND}: the results have RFC5044-4.4-12 in frame")
def finding_of_other_requirement(bundle):
    bundle.findings(FOUND)[0]["requirement"] = "RFC5044-4.4-12"
    bundle.recount()


@noticed(f"{FOUND}: only its (log|capture) has: ")
def finding_removed_from_log(bundle):
    fail_to_pass_without_findings(bundle)
    bundle.edit(FOUND + ".log", lambda text: re.sub(r"    ! .*\n", "", text))


@noticed(f"{FOUND}: only its capture has: ")
def events_removed_from_log(bundle):
    fail_to_pass_without_findings(bundle)
    bundle.edit(FOUND + ".log", lambda text: re.sub(r"\n[0-9]+  [0-9.]+  1  device .*\n(    .*\n)*", "\n", text))


@noticed(f"{FOUND}: only its (log|capture) has: ")
def capture_of_passing_case(bundle):
    bundle.files[FOUND + ".pcapng"] = bundle.files[PASSING + ".pcapng"]


@noticed(f"{FOUND}.log: does not begin with id, title and role")
def evidence_of_passing_case(bundle):
    for end in (".pcapng", ".log"):
        bundle.files[FOUND + end] = bundle.files[PASSING + end]
    bundle.case(FOUND).update({key: value for key, value in bundle.case(PASSING).items() if key.startswith("close")})
    bundle.verdict(FOUND, "pass")
    bundle.drop(lambda line: line["type"] == "finding" and line["case"] == FOUND)
    bundle.recount()


@noticed(f"{FOUND}: its capture has no packet of this case")
def evidence_of_passing_case_renamed(bundle):
    evidence_of_passing_case(bundle)
    title, requirements = bundle.case(FOUND)["title"], subprocess.run(
        ["grep", "^requires: ", FOUND + ".log"], cwd=FOLDER + "/run", stdout=subprocess.PIPE, text=True, check=True).stdout
    bundle.edit(FOUND + ".log", lambda text: re.sub("^.*", f"{FOUND}: {title}", text, count=1))
    bundle.edit(FOUND + ".log", lambda text: re.sub("(requires: .*\n)+", lambda _: requirements, text))


@noticed(f"{FAILING}: its capture is {PASSING}.pcapng, not {FAILING}.pcapng")
def file_of_passing_case(bundle):
    bundle.case(FAILING)["file"] = bundle.case(PASSING)["file"]


@noticed(f"{FOUND}: only its log has: ")
def capture_empty(bundle):
    bundle.files[FOUND + ".pcapng"] = empty_capture()


@noticed(f"{FOUND}: (its capture cannot be read to its end|only its log has)")
def capture_truncated(bundle):
    bundle.files[FOUND + ".pcapng"] = bundle.files[FOUND + ".pcapng"][:-50]


@noticed(f"{FOUND}: its capture cannot be read to its end")
def capture_is_text(bundle):
    bundle.files[FOUND + ".pcapng"] = b"no capture"


@noticed("its cases are not those of warpcheck")
def other_catalogue(bundle):
    bundle.header()["catalogue"] = "0" * 64
    bundle.json("suite.json", catalogue="0" * 64)


@noticed("suite.json: is not the \"catalogue\" of results.jsonl")
def other_catalogue_in_suite(bundle):
    bundle.json("suite.json", catalogue="0" * 64)


@noticed("profile.json: is not the \"profile\" of results.jsonl")
def other_profile_in_one_file(bundle):
    bundle.json("profile.json", claims=["responder"])


@noticed("its claims are not those of the profile base")
def fewer_claims(bundle):
    claims = [claim for claim in bundle.header()["profile"]["claims"] if claim != "markers"]
    bundle.header()["profile"]["claims"] = claims
    bundle.json("profile.json", claims=claims)


@noticed("mpa-marker-001: is \".*\" .*, but it is \"not applicable\": needs what the device does not claim: markers")
def fewer_claims_of_a_file(bundle):
    fewer_claims(bundle)
    options = bundle.header()["options"]
    options[options.index("base")] = "./base.lua"


@noticed("its header has 1 claims \"without\", its options 0")
def without_in_header(bundle):
    bundle.header()["without"] = ["markers"]


@noticed(f"{FAILING}: its role is \"initiator\", not \"responder\"")
def role(bundle):
    bundle.case(FAILING)["role"] = "initiator"


@noticed(f"{FAILING}: its title is ")
def title(bundle):
    bundle.case(FAILING)["title"] = "This case tests nothing"


@noticed(f"{FAILING}: its requirements are not those of the catalogue")
def requirements_of_case(bundle):
    bundle.case(FAILING)["requirements"] = ["RFC5044-4.4-01"]
    bundle.recount()


@noticed(f"{FAILING}: its level is \"MAY\"")
def level(bundle):
    bundle.case(FAILING)["level"] = "MAY"


@noticed(f"case {PASSING} is a duplicate")
def duplicate_case(bundle):
    bundle.lines.insert(1, dict(bundle.case(PASSING)))
    bundle.recount()


@noticed("mpa-crc-999: is not a case that the run selected")
def unknown_case(bundle):
    bundle.lines.insert(1, {**bundle.case(UNCLAIMED), "case": "mpa-crc-999"})
    bundle.recount()


@noticed("mpa-crc-001: is not a case that the run selected")
def options_select_less(bundle):
    bundle.only("^mpa-fpdu-00")


@noticed("its header has shard 1/2, its options none")
def shard(bundle):
    bundle.header().update(shard=1, shards=2)


@noticed("accounts for [0-9]+ results|is not a case that the run selected")
def shard_with_option(bundle):
    bundle.header().update(shard=1, shards=2)
    bundle.header()["options"] += ["--shard", "1/2"]


@noticed("its header has \"accept_untested\" true, but its options have no --accept-untested")
def accept_untested(bundle):
    bundle.header()["accept_untested"] = True


@noticed("its header has \"strict\" true, but its options have no --strict")
def strict(bundle):
    bundle.header()["strict"] = True


@noticed(f"{FOUND}: its close is \"")
def close(bundle):
    bundle.case(FOUND)["close"] = "rst"


@noticed(f"{FOUND}: the results have RFC5044-4.4-11 in frame")
def finding_of_unknown_side(bundle):
    bundle.findings(FOUND)[0]["side"] = "unknown"


@noticed(f"{FOUND}: the results have RFC5044-4.4-11 in frame")
def finding_of_suite(bundle):
    bundle.findings(FOUND)[0]["side"] = "initiator"


@noticed(f"{FOUND}: the results have RFC5044-4.4-11 in frame")
def finding_of_lower_level(bundle):
    bundle.findings(FOUND)[0]["level"] = "MAY"


@noticed(f"{FAILING}: the run selected this case, but has no result")
def case_removed_as_until_failure(bundle):
    for case in bundle.cases():
        if case["verdict"] == "fail":
            bundle.forget(case["case"])
            bundle.lines.remove(case)
    bundle.header()["options"].append("--until-failure")
    bundle.recount()


@noticed("has cases that were not begun, but its options have no --budget")
def case_removed_as_not_begun(bundle):
    case_removed(bundle)
    bundle.summary()["not_begun"] = 1


@noticed("its header has [0-9]+ repeats, its options 1")
def repeats_in_header(bundle):
    bundle.header()["repeats"] = 2


@noticed(f"{PASSING}: is unfinished, but its verdict is \"pass\"")
def pass_unfinished(bundle):
    bundle.case(PASSING)["unfinished"] = True


@noticed("mpa-crc-001-2.pcapng: belongs to no case|accounts for [0-9]+ results", "repeats.tar")
def repeat_removed(bundle):
    bundle.drop(lambda line: line.get("case") == "mpa-crc-001" and line.get("repeat") == 2)
    bundle.recount()


@noticed("mpa-crc-002: repeat 2 is \"fail\" without evidence", "repeats.tar")
def repeat_fails(bundle):
    case = next(line for line in bundle.cases() if line["case"] == "mpa-crc-002" and line["repeat"] == 2)
    case["verdict"] = "fail"
    bundle.recount()


@noticed("mpa-crc-002: its repeats differ, but no line \"flake\" says so", "repeats.tar")
def flake_hidden(bundle):
    repeat_fails(bundle)


@noticed("shows a crash of the device, the results do not", "repeats.tar")
def crash_hidden(bundle):
    bundle.edit("mpa-crc-001.log", lambda text: text.replace("\nverdict: ", "\nconsole: BUG: bad\n\nverdict: "))


@noticed("the results have no header|does not name its suite|is not the \"version\"")
def header_removed(bundle):
    del bundle.lines[0]


@noticed(f"{FAILING}.log: is missing")
def file_missing(bundle):
    listed = dict(bundle.members())["MANIFEST"]
    del bundle.files[FAILING + ".log"]
    bundle.members = lambda: [("MANIFEST", listed), *Bundle.members(bundle)[1:]]


@noticed("more.txt: belongs to no case")
def file_added(bundle):
    bundle.files["more.txt"] = b"more"


@noticed("more.txt: is not listed")
def file_added_but_not_listed(bundle):
    bundle.members = lambda: [*Bundle.members(bundle), ("more.txt", b"more")]


@noticed(f"{PASSING}.log: its SHA-256 is ")
def file_changed_but_not_its_digest(bundle):
    bundle.members = lambda: [
        (name, octets.replace(b"verdict", b"Verdict") if name == PASSING + ".log" else octets) for name, octets in Bundle.members(bundle)]


# ---- forgeries of a device that was tested over TCP, without an agent: it asks for no CRC, contrary to its claims ----

@noticed("no line \"claim\" says that the device claims to ask for CRC always, but its Reply does not", "real.tar")
def claim_removed(bundle):
    bundle.drop(lambda line: line["type"] == "claim")
    del bundle.summary()["wrong_claims"]
    bundle.recount()


@noticed("its header has 0 claims \"without\", its options 1|its header lacks --without no-crc of its options", "real.tar")
def claim_made_true(bundle):
    claim_removed(bundle)
    bundle.header()["without"] = []


@noticed(f"{UNTESTED}: is \"pass\" .*, but it is \"not tested\": needs an agent", "real.tar")
def not_tested_to_pass(bundle):
    bundle.verdict(UNTESTED, "pass")
    bundle.recount()


@noticed(f"{UNTESTED}: is \"not tested\" \\(needs an agent on the device \\(--agent\\)\\), but it applies", "real.tar")
def agent_named(bundle):
    bundle.header()["agent"] = "an agent"


@noticed("mpa-crc-001: is \"not tested\", but nothing prevented its test", "real.tar")
def not_tested_by_agent(bundle):
    bundle.verdict("mpa-crc-001", "not tested", "the device lacks the ability \"invalidate\"")
    bundle.log_verdict("mpa-crc-001")
    bundle.recount()


# ---- forgeries of evidence, and of what the captures tell about the run ----

@noticed("mpa-fpdu-021: the results have RFC5044-4.2-02 in frame [0-9]+ more often than the capture", "pads.tar")
def finding_doubled_to_hide_another(bundle):
    """As many violations as before, but of one requirement less."""
    found = bundle.findings("mpa-fpdu-021")
    doubled = next(finding for finding in found if finding["requirement"] == "RFC5044-4.2-02")
    for finding in found:
        if finding["requirement"] == "RFC5044-4.3-09":
            finding.update(doubled)
    bundle.recount()


@noticed(f"{FOUND}: the results have RFC5044-4.4-11 in frame")
def finding_of_lower_severity(bundle):
    bundle.findings(FOUND)[0]["severity"] = "note"


@noticed(f"{FOUND}: the results have RFC5044-4.4-11 in frame")
def finding_of_other_document(bundle):
    bundle.findings(FOUND)[0].update(document="RFC 1", section="1")


def pass_with_rest_of_log(bundle, keep, evidence=""):
    """FAILING passes; its log has only the lines that `keep` matches, and this line about its evidence."""
    bundle.verdict(FAILING, "pass")
    bundle.drop(lambda line: line["type"] == "finding" and line["case"] == FAILING)
    bundle.log_verdict(FAILING)
    lines = [line for line in bundle.files[FAILING + ".log"].decode().splitlines(True) if re.match(keep, line)]
    lines.insert(lines.index("verdict: pass\n") + 1, evidence)
    bundle.files[FAILING + ".log"] = "".join(lines).encode()
    bundle.recount()


@noticed(f"{FAILING}: is \"pass\", but its capture shows nothing of the device")
def pass_with_empty_evidence(bundle):
    for key in ("close", "terminate"):
        bundle.case(FAILING).pop(key, None)
    bundle.case(FAILING)["close_verdict"] = "not judged"
    bundle.files[FAILING + ".pcapng"] = empty_capture()
    pass_with_rest_of_log(bundle, r"(?!\d+  |    |  |close)")


@noticed(f"{FAILING}: says that its evidence is shortened, but it is shorter than half of --evidence-limit")
def fail_excused_by_limit(bundle):
    bundle.case(FAILING)["left_out"] = {"frames_shortened": 0, "frames_missing": 0, "log_lines": 5}
    bundle.edit(FAILING + ".log", lambda text: text.replace("\nverdict", "  (5 left out here: --evidence-limit)\n\nverdict"))
    pass_with_rest_of_log(bundle, "", "evidence: 0 frames shortened to their headers, 0 last frames missing, "
                          "5 lines of the log left out (--evidence-limit)\n")


@noticed(f"{FAILING}: is \"pass\", but its capture makes it \"fail\"")
def fail_excused_by_limit_with_long_log(bundle):
    """Also if the limit is small, and the log long enough for it: what is left of the capture shows the violation."""
    bundle.header()["options"] += ["--evidence-limit", "1"]
    fail_excused_by_limit(bundle)
    bundle.edit(FAILING + ".log", lambda text: text.replace("\nverdict", "  step: wait\n" * 50000 + "\nverdict", 1))


@noticed(f"{PASSING}: no case of framing.lua is not applicable because")
def reason_of_sctp(bundle):
    bundle.verdict(PASSING, "not applicable", "x: the peer accepts streams 0 to 3")
    bundle.case(PASSING)["close_verdict"] = "not judged"
    bundle.log_verdict(PASSING)
    bundle.edit(PASSING + ".log", lambda text: re.sub("close verdict: .*\n", "", text))
    bundle.recount()


@noticed("packets of mpa-crc-00[12] are from 20.*, but the run ended at 2020-01-01T00:00:09Z", "real.tar")
def started(bundle):
    bundle.header()["started"] = "2020-01-01T00:00:00Z"
    bundle.summary()["ended"] = "2020-01-01T00:00:09Z"


@noticed("ended at 2020-01-01T00:00:09Z, before it began", "real.tar")
def ended_before_it_began(bundle):
    bundle.summary()["ended"] = "2020-01-01T00:00:09Z"


@noticed("packets of .* are from 2026-01-01T00:00:00.*, but the run began at")
def simulated_to_real(bundle):
    """The embedded peer in memory has a clock of its own."""
    header = bundle.header()
    del header["simulated"], header["defect"]
    header["peer"] = "192.0.2.7:20100"
    header["options"][:3] = ["--peer", "192.0.2.7:20100", "--agent", "20101"]


@noticed("mpa-crc-001: was tested at 127.0.0.1, not at the peer 192.0.2.7", "real.tar")
def other_peer(bundle):
    bundle.header()["peer"] = "192.0.2.7:20100"
    options = bundle.header()["options"]
    options[options.index("--peer") + 1] = "192.0.2.7:20100"


@noticed("--only .* takes too long")
def pattern_that_takes_for_ever(bundle):
    bundle.only(r"^(([a-z0-9-]+)+)+\b\B")


# ---- archives that are no bundles ----

@noticed("../evil: not a valid name in a bundle")
def path_traversal(bundle):
    bundle.files["../evil"] = b"evil"


@noticed("/tmp/evil: not a valid name in a bundle")
def absolute_path(bundle):
    bundle.files["/tmp/evil"] = b"evil"


@noticed("suite.json: is a duplicate")
def duplicate_member(bundle):
    bundle.members = lambda: [*Bundle.members(bundle), ("suite.json", b"{}")]


def add_link(kind, target):
    def add(path):
        with tarfile.open(path, "a", format=tarfile.USTAR_FORMAT) as archive:
            member = tarfile.TarInfo("link.log")
            member.type, member.linkname = kind, target
            archive.addfile(member)
    return add


def truncate(path):
    os.truncate(path, os.path.getsize(path) // 2)


def zip_bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("results.jsonl", "w", force_zip64=True) as out:
            for _ in range(300):
                out.write(bytes(1 << 20))


def expect_two_archives():
    """A tar archive with a zip archive at its end: other programs read the latter from a file of this name."""
    Bundle(WHOLE).pack("forged.zip")
    with zipfile.ZipFile("forged.zip", "a") as archive:
        archive.writestr("results.jsonl", "{}\n")
    expect_noticed("a tar archive that is also a zip archive", "forged.zip", "MANIFEST: is missing")


ARCHIVES = [
    ("symbolic link", add_link(tarfile.SYMTYPE, "/etc/passwd"), "link.log: not a regular file"),
    ("hard link", add_link(tarfile.LNKTYPE, "suite.json"), "link.log: not a regular file"),
    ("truncated archive", truncate, "Truncated|is missing"),
    ("zip bomb", zip_bomb, "results.jsonl: is too large"),
]


# ---- forgeries that only a signature shows, and why ----

SIGNED = []


def signed(why, source="whole.tar"):
    def register(forger):
        SIGNED.append((forger, why, source))
        return forger
    return register


@signed("the device is what the tester says")
def device_name(bundle):
    bundle.header()["device"] = "NIC 2"


@signed("another version may have the same cases")
def program_version(bundle):
    bundle.header()["version"] = "0.0.9"
    bundle.json("suite.json", version="0.0.9")


@signed("the options say what was selected: the summary prints them")
def options_and_cases(bundle):
    bundle.only("^mpa-fpdu-007")
    for case in bundle.cases():
        if case["case"] == PASSING:
            continue
        if "file" in case:
            bundle.forget(case["case"])
        bundle.lines.remove(case)
    bundle.header()["selected"] = 1
    bundle.header()["requirements"] = [id for id in bundle.header()["requirements"] if id in REQUIREMENTS[PASSING]]
    bundle.recount()


@signed("a profile in a file claims what its author wrote: the summary prints its name")
def claims_and_cases(bundle):
    fewer_claims_of_a_file(bundle)
    for case in bundle.cases():
        if case["case"] in MARKERS and case["verdict"] != "not applicable":
            bundle.verdict(case["case"], "not applicable", "needs what the device does not claim: markers")
            bundle.forget(case["case"])
    bundle.recount()


@signed("no capture shows what a script expected in vain", "scripted.tar")
def fail_by_script_to_pass(bundle):
    """The device sends no Terminate: the monitor has no finding."""
    bundle.verdict("mpa-crc-001", "pass")
    bundle.log_verdict("mpa-crc-001")
    bundle.recount()


def empty_capture():
    """A section header and an interface of pcapng."""
    return bytes.fromhex("0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000" "010000001400000001000000ffff000014000000")


# ---- the test ----

def complain(text, answer):
    failures.append(text)
    print(f"{text}: exit {answer.returncode}\n{answer.stdout}{answer.stderr}", file=sys.stderr)


def expect_noticed(name, path, pattern):
    answer = warpcheck("verify-bundle", path, timeout=60)
    if answer.returncode != 3 or not re.search(pattern, answer.stderr):
        complain(f"{name} is not noticed as {pattern}", answer)
    elif "conforms" in answer.stdout or ": the device" in answer.stdout:
        complain(f"{name}: a verdict in spite of it", answer)
    counts["noticed"] += 1


def expect_signed(name, path, why, source):
    answer = warpcheck("verify-bundle", path)
    if answer.returncode == 3 or "not proved  device, firmware" not in answer.stdout:
        complain(f"{name} ({why}) is not named as not proved", answer)
    shutil.copy(source + ".sig", path + ".sig")
    answer = warpcheck("verify-bundle", "--key", KEY + ".pub", path)
    if answer.returncode != 3 or not re.search("signature: is not valid for this bundle", answer.stderr):
        complain(f"{name} does not break the signature", answer)
    os.unlink(path + ".sig")
    counts["signed"] += 1


def expect_signature(name, arguments, code, pattern):
    answer = warpcheck("verify-bundle", *arguments)
    if answer.returncode != code or not re.search(pattern, answer.stdout + answer.stderr):
        complain(f"{name}: not exit {code} with {pattern}", answer)


def cut_short(path):
    """Leaves the results that a run has when it is killed before its last case."""
    with open(path, encoding="utf-8") as results:
        lines = [line for line in results if json.loads(line)["type"] in ("run", "case")]
    with open(path, "w", encoding="utf-8") as results:
        results.writelines(lines[:-1])


def list_rows(what):
    return [json.loads(line) for line in warpcheck("list", what, "--format", "jsonl").stdout.splitlines()]


def make_key(path, passphrase=""):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "the lab", "-f", path], check=True)


def expect_signatures(other):
    """Signatures of the bundle itself."""
    expect_signature("a valid signature", ["--key", KEY + ".pub", WHOLE], 1, r"signed by ED25519 key SHA256:\S+ \(.*key.pub\): valid")
    expect_signature("no key", [WHOLE], 1, "signed, but not verified: give --key")
    make_key("other")
    expect_signature("another key", ["--key", "other.pub", WHOLE], 3, "signature: is not valid for this bundle and other.pub")
    expect_signature("a private key", ["--key", KEY, WHOLE], 3, "key: is not a public key of OpenSSH")
    expect_signature("no signature", ["--key", KEY + ".pub", other], 3, "signature: is missing")
    expect_signature("signature of another bundle", ["--key", KEY + ".pub", "--signature", WHOLE + ".sig", other], 3, "is not valid for this bundle")
    with open("broken.sig", "w", encoding="ascii") as out:
        out.write("-----BEGIN SSH SIGNATURE-----\nx\n")
    expect_signature("a broken signature", ["--key", KEY + ".pub", "--signature", "broken.sig", WHOLE], 3, "is not valid for this bundle")
    expect_signature("a missing file", ["--key", KEY + ".pub", "--signature", "none.sig", WHOLE], 3, "none.sig: No such file")


def expect_sign_faults():
    make_key("locked", "secret")
    shutil.copy(KEY + ".pub", "lonely.pub")  # neither its private key nor ssh-agent
    for key, pattern in (("locked", "locked: needs a passphrase"), ("none", "none: No such file"), ("lonely.pub", "lonely.pub: ")):
        answer = warpcheck("report", "--bundle", "x.tar", "--sign", key, "run", env={**os.environ, "SSH_AUTH_SOCK": ""})
        if answer.returncode != 3 or not re.search(pattern, answer.stderr) or os.path.exists("x.tar.sig"):
            answer.stdout = ""
            complain(f"--sign {key}", answer)
    answer = warpcheck("report", "--bundle", "x.tar", "--sign", KEY, "run", env={**os.environ, "PATH": "/nowhere"})
    if answer.returncode != 3 or "ssh-keygen: is not installed (package openssh-client)" not in answer.stderr:
        complain("no ssh-keygen", answer)
    answer = warpcheck("report", "--sign", KEY, "run")
    if answer.returncode != 3 or "--sign goes with --bundle" not in answer.stderr:
        complain("--sign without --bundle", answer)


def run_over_tcp():
    """Tests a device that contradicts --without no-crc."""
    with subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--no-crc", "--quiet"], stdout=subprocess.PIPE, text=True) as device:
        address = re.match(r"listening on ([0-9.:]+)", device.stdout.readline())[1]
        answer = warpcheck("run", "--peer", address, "--without", "no-crc", "--only", f"mpa-crc-00[12]|{UNTESTED}", "--out", "real")
        device.terminate()
    if answer.returncode != 1 or "1 wrong claim" not in answer.stdout:
        complain("a device that contradicts its claim", answer)


def main():
    warpcheck("run", "--simulate", "--defect", "crc-wrong", *RUN, "--out", "run")
    warpcheck("run", "--simulate", "--defect", "terminate-swallowed", "--only", "^mpa-crc-001$", "--out", "scripted")
    warpcheck("run", "--simulate", "--defect", "crc-wrong", "--only", f"^{ASIDE}$", "--out", "aside")
    warpcheck("report", "--bundle", "aside.tar", "aside")
    make_key(KEY)
    warpcheck("report", "--bundle", "scripted.tar", "--sign", KEY, "scripted")
    warpcheck("run", "--simulate", "--only", "^mpa-crc-00[12]", "--repeat", "2", "--out", "repeats")
    warpcheck("report", "--bundle", "repeats.tar", "repeats")
    warpcheck("run", "--simulate", "--only", "^mpa-crc-00", "--out", "short")
    cut_short("short/results.jsonl")
    warpcheck("report", "--bundle", "short.tar", "short")
    warpcheck("run", "--simulate", "--defect", "pad-word", "--only", "^mpa-fpdu-021$", "--out", "pads")
    warpcheck("report", "--bundle", "pads.tar", "pads")
    run_over_tcp()
    warpcheck("report", "--bundle", "real.tar", "real")
    made = warpcheck("report", "--bundle", WHOLE, "--sign", KEY, "run")
    answer = warpcheck("verify-bundle", WHOLE)
    if made.returncode != 1 or answer.returncode != 1 or "whole.tar: the embedded peer FAILS: " not in answer.stdout:
        complain("a bundle of a failing device", answer)
    Bundle(WHOLE).pack("bundle.tar")
    answer = warpcheck("verify-bundle", "bundle.tar")
    if answer.returncode != 1 or answer.stderr:
        complain("a bundle that is packed again", answer)
    expect_signatures("bundle.tar")
    expect_sign_faults()
    for forger, pattern, source in NOTICED[::EVERY]:
        bundle = Bundle(source)
        forger(bundle)
        bundle.pack("forged.tar")
        expect_noticed(forger.__name__, "forged.tar", pattern)
    for name, change, pattern in ARCHIVES[::EVERY]:
        forged = "forged.zip" if change == zip_bomb else "forged.tar"
        Bundle(WHOLE).pack(forged)
        change(forged)
        expect_noticed(name, forged, pattern)
    expect_two_archives()
    for forger, why, source in SIGNED[::EVERY]:
        bundle = Bundle(source)
        forger(bundle)
        bundle.pack("forged.tar")
        expect_signed(forger.__name__, "forged.tar", why, source)
    print(f"{counts['noticed']} forgeries to be noticed, {counts['signed']} that only a signature shows, {len(failures)} failures")
    for forger, why, _ in SIGNED:
        print(f"cannot be noticed without a signature: {forger.__name__}: {why}")
    return 1 if failures else 0


if __name__ == "__main__":
    LEVELS = {row["case"]: row["level"] for row in list_rows("cases")}
    REQUIREMENTS = {row["case"]: row["requirements"] for row in list_rows("cases")}
    MARKERS = [row["case"] for row in list_rows("cases") if "markers" in row["claims"]]
    with tempfile.TemporaryDirectory() as FOLDER:
        os.chdir(FOLDER)
        WHOLE, KEY = os.path.join(FOLDER, "whole.tar"), os.path.join(FOLDER, "key")
        sys.exit(main())
