#!/usr/bin/python3
"""The templates of ci/ and lab/: their structure, and their commands, which are run against the reference peer as the service would
run them: first a conforming device on the main branch, then one with a defect in a pull request.

Usage: ci_test.py WARPCHECK [--lava-schema]

--lava-schema validates the job of LAVA by LAVA's own schema, of the package lava-common, and does nothing else.

Expressions of GitHub (${{ }}) have to be among those that this test knows. The actions of others (uses:), the installation, and the
jobs siw are not run; of the latter the scripts have to exist.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    print("not available: python3-yaml: skipped")
    sys.exit(77)

program = os.path.abspath(sys.argv[1])
recipes = pathlib.Path(__file__).resolve().parent
failed = []


def expect(condition, text):
    if not condition:
        print(f"FAILED: {text}")
        failed.append(text)


class Place:
    """A checkout with a device, and programs that only note how they were called."""

    def __init__(self, work, defect=None):
        self.folder = work
        self.bin = work / "bin"
        self.bin.mkdir(exist_ok=True)
        (work / "conformance").mkdir(exist_ok=True)
        (work / "conformance/known.txt").write_text("")
        if not (self.bin / "warpcheck").exists():
            (self.bin / "warpcheck").symlink_to(program)
        for name in ("gh", "curl", "sudo", "apt-get", "lava-test-case"):
            self.tool(name)
        command = [program, "serve", "--listen", "127.0.0.1:0", "--quiet"] + (["--defect", defect] if defect else [])
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.device = self.server.stdout.readline().split(",")[0].removeprefix("listening on ").strip()

    def tool(self, name):
        path = self.bin / name
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >>"{self.folder}/calls"\n')
        path.chmod(0o755)

    def run(self, script, **environment):
        path = f"{self.bin}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "PATH": path, **environment})
        return done.returncode, done.stdout + done.stderr

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()


def check_results(place, regressed, name):
    """The files that the job keeps as evidence."""
    results = place.folder / "results"
    for file in ("new/results.jsonl", "junit.xml", "report.html", "evidence.tar.gz", "report.txt", "comment.md"):
        expect((results / file).exists(), f"{name}: results/{file} is missing")
    suite = xml.etree.ElementTree.parse(results / "junit.xml").getroot()
    found = sum(1 for _ in suite.iter("failure"))
    expect((found > 0) == regressed, f"{name}: {found} failures in JUnit")
    expect(sum(1 for _ in suite.iter("testcase")) > 20, f"{name}: few cases in JUnit")
    comment = (results / "comment.md").read_text()
    expect(("mpa-crc-" in comment) == regressed, f"{name}: the comment is {comment[:200]}")


# ---- GitHub ----

def github_conditions(event, main):
    """By expression: its value in a job that has not been cancelled."""
    return {
        None: True,
        "${{ !cancelled() }}": True,
        "${{ !cancelled() && github.event_name == 'pull_request' }}": event == "pull_request",
        "${{ !cancelled() && github.ref == 'refs/heads/main' }}": main,
    }


def github_environment(place, table):
    values = {"${{ vars.DEVICE }}": place.device, "${{ github.token }}": "a-token", "${{ github.event.number }}": "17"}
    return {key: values[value] for key, value in table.items()}


def github_job(job, place, event, main):
    """Runs the steps. Returns the exit code of the first that fails; later ones run only if their condition says so."""
    code = 0
    environment = github_environment(place, job["env"])
    environment["GITHUB_STEP_SUMMARY"] = str(place.folder / "summary.md")
    for step in job["steps"]:
        condition = step.get("if")
        if "run" not in step or not github_conditions(event, main)[condition] or (code != 0 and condition is None):
            continue
        step_code, output = place.run(step["run"], **environment, **github_environment(place, step.get("env", {})))
        expect(step_code == 0 or step["name"] == "Test the device", f"github: {step['name']}: exit {step_code}: {output}")
        code = code or step_code
    return code


def check_github_structure(workflow):
    # YAML 1.1 reads the word on as true.
    expect(set(workflow[True]) == {"push", "pull_request", "schedule"}, "github: triggers")
    expect(workflow[True]["push"] == {"branches": ["main"]}, "github: a pull request is tested twice")
    # A fork could bring packages that the job installs as root.
    expect(workflow["jobs"]["conformance"].get("if") == "${{ github.event_name != 'pull_request' || "
           "github.event.pull_request.head.repo.full_name == github.repository }}", "github: forks use the runner")
    for name, job in workflow["jobs"].items():
        expect("runs-on" in job and "timeout-minutes" in job, f"github: job {name}")
        for step in job["steps"]:
            expect(("run" in step) != ("uses" in step), f"github: step {step} has to have either run or uses")
            # A tag of others can be moved to other code, a commit cannot.
            expect(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", "a@" + 40 * "0")), f"github: {step} names no commit")
            expect("run" not in step or "name" in step, f"github: {step} has no name")
    kept = [step["with"]["path"] for step in workflow["jobs"]["conformance"]["steps"] if "upload-artifact" in step.get("uses", "")]
    expect(kept == ["results/"], "github: the evidence is not kept")


def test_github(work):
    workflow = yaml.safe_load((recipes / "ci/github.yml").read_text())
    job = workflow["jobs"]["conformance"]
    check_github_structure(workflow)
    place = Place(work)
    expect(github_job(job, place, "push", True) == 0, "github: a conforming device fails")
    place.close()
    check_results(place, False, "github")
    expect((work / "results/old/results.jsonl").exists(), "github: the results of main are not kept")
    expect(not [call for call in place.calls() if call.startswith("gh")], "github: a comment without a pull request")
    place = Place(work, "crc-wrong")
    shutil.rmtree(work / "results/new")
    expect(github_job(job, place, "pull_request", False) == 1, "github: a regression does not fail the job")
    place.close()
    check_results(place, True, "github")
    expect("gh pr comment 17 --body-file results/comment.md" in place.calls(), f"github: no comment: {place.calls()}")


# ---- GitLab ----

def gitlab_job(job, place, **variables):
    environment = {"DEVICE": place.device, **variables}
    code, output = place.run("\n".join(job["before_script"] + job["script"]), **environment)
    expect(code in (0, 1), f"gitlab: exit {code}: {output}")
    after, output = place.run("\n".join(job["after_script"]), **environment)
    expect(after == 0, f"gitlab: after_script: exit {after}: {output}")
    return code


def test_gitlab(work):
    pipeline = yaml.safe_load((recipes / "ci/gitlab-ci.yml").read_text())
    job = pipeline["conformance"]
    for name, each in pipeline.items():
        if name not in ("stages", "workflow"):
            expect(each["stage"] in pipeline["stages"], f"gitlab: stage of {name}")
            expect(all(isinstance(line, str) for line in each["script"]), f"gitlab: script of {name}")
    # Both branches of a merge request see the results of the main branch.
    expect(job["cache"].get("unprotect") is True, "gitlab: branches that are not protected have a cache of their own")
    expect(job["artifacts"]["when"] == "always" and job["artifacts"]["paths"] == ["results/"], "gitlab: the evidence is not kept")
    expect(job["artifacts"]["reports"]["junit"] == "results/junit.xml", "gitlab: no JUnit")
    place = Place(work)
    expect(gitlab_job(job, place, CI_COMMIT_BRANCH="main", CI_DEFAULT_BRANCH="main") == 0, "gitlab: a conforming device fails")
    place.close()
    check_results(place, False, "gitlab")
    expect((work / "results/old/results.jsonl").exists(), "gitlab: the results of main are not kept")
    place = Place(work, "crc-wrong")
    shutil.rmtree(work / "results/new")
    code = gitlab_job(job, place, CI_MERGE_REQUEST_IID="17", COMMENT_TOKEN="a-token", CI_API_V4_URL="https://git.example/api/v4",
                      CI_PROJECT_ID="5")
    place.close()
    expect(code == 1, "gitlab: a regression does not fail the job")
    check_results(place, True, "gitlab")
    posted = [call for call in place.calls() if call.startswith("curl")]
    expect(len(posted) == 1 and "body@results/comment.md" in posted[0] and
           posted[0].endswith("https://git.example/api/v4/projects/5/merge_requests/17/notes"), f"gitlab: comment: {posted}")


# ---- LAVA ----

def check_lava_schema(job):
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from lava_common.schemas import validate
    except ImportError:
        print("not available: lava-common: skipped")
        sys.exit(77)
    validate(job)
    wrong = json.loads(json.dumps(job))
    del wrong["actions"][2]["test"]["definitions"][0]["path"]
    try:
        validate(wrong)
        expect(False, "lava: the schema accepts a definition without a path")
    except Exception:  # voluptuous.Invalid
        pass


def test_lava(work):
    job = yaml.safe_load((recipes / "lab/lava.yaml").read_text())
    definition = job["actions"][2]["test"]["definitions"][0]["repository"]
    expect(list(definition["params"]) == ["DEVICE"], "lava: parameters")
    place = Place(work, "crc-wrong")
    for step in definition["run"]["steps"]:
        code, output = place.run(step.replace("/usr/share/warpcheck/recipes", str(recipes)), DEVICE=place.device)
        expect(code == 0, f"lava: {step}: exit {code}: {output}")
    place.close()
    cases = {}
    for line in (work / "results/new/results.jsonl").read_text().splitlines():
        object = json.loads(line)
        if object["type"] == "case":
            cases[object["case"]] = object["verdict"]
    calls = dict(call.removeprefix("lava-test-case ").split(" --result ") for call in place.calls())
    expect(set(calls) == set(cases), "lava: other cases than in the results")
    wanted = {"pass": "pass", "warning": "pass", "note": "pass", "not applicable": "skip", "not tested": "skip"}
    for id, verdict in cases.items():
        expect(calls.get(id) == wanted.get(verdict, "fail"), f"lava: {id} with verdict {verdict} is {calls.get(id)}")
    expect("fail" in calls.values() and "pass" in calls.values(), "lava: not both verdicts")


def test_siw():
    """The commands of the jobs siw are scripts of this project."""
    workflow = yaml.safe_load((recipes / "ci/github.yml").read_text())
    pipeline = yaml.safe_load((recipes / "ci/gitlab-ci.yml").read_text())
    lines = [line for step in workflow["jobs"]["siw"]["steps"] for line in step.get("run", "").splitlines()]
    expect([line for line in lines if line] == pipeline["siw"]["script"], "the two jobs siw differ")
    for line in pipeline["siw"]["script"][1:]:
        expect(os.access(recipes.parent / line.split()[0], os.X_OK), f"siw: {line}")


def in_folder(test):
    with tempfile.TemporaryDirectory() as folder:
        test(pathlib.Path(folder))


if sys.argv[2:] == ["--lava-schema"]:
    check_lava_schema(yaml.safe_load((recipes / "lab/lava.yaml").read_text()))
    sys.exit(1 if failed else 0)
test_siw()
# A run of the suite mostly waits.
with concurrent.futures.ThreadPoolExecutor() as pool:
    for done in [pool.submit(in_folder, test) for test in (test_github, test_gitlab, test_lava)]:
        done.result()
sys.exit(1 if failed else 0)
