#!/usr/bin/python3
"""kubernetes.yaml: the structure that the API demands of a Job, and the commands of its pods, which are run.

Usage: kubernetes_test.py WARPCHECK IW_TRAFFIC CACHE

The own table below has the fields of batch/v1 Job that the manifest uses, with their types: a field that it lacks is an error, as
`kubectl --validate=strict` says. In addition, the package kubernetes-models checks the manifest against the
OpenAPI schema of Kubernetes; if npm cannot install it, the test is skipped (77) unless something else is wrong.
"""
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("not available: python3-yaml: skipped")
    sys.exit(77)

program, traffic, cache = (os.path.abspath(path) for path in sys.argv[1:4])
recipes = pathlib.Path(__file__).resolve().parent
QUANTITIES = {"cpu": str, "memory": str}
# Type, or fields; "!" before a required field; a list holds items of one kind.
CONTAINER = {
    "!name": str, "!image": str, "command": [str], "args": [str], "env": [{"!name": str, "value": str}],
    "resources": {"requests": QUANTITIES, "limits": QUANTITIES},
    "volumeMounts": [{"!name": str, "!mountPath": str}],
}
POD = {
    "!restartPolicy": ("Never", "OnFailure"),  # a Job permits no other
    "securityContext": {"runAsNonRoot": bool, "runAsUser": int},
    "!containers": [CONTAINER],
    "volumes": [{"!name": str, "persistentVolumeClaim": {"!claimName": str}}],
}
JOB = {
    "!apiVersion": ("batch/v1",), "!kind": ("Job",), "!metadata": {"!name": str},
    "!spec": {
        "completionMode": ("Indexed", "NonIndexed"), "completions": int, "parallelism": int, "backoffLimit": int,
        "ttlSecondsAfterFinished": int, "!template": {"!spec": POD},
    },
}


def problems(value, kind, path):
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            return [f"{path}: not an object"]
        known = {key.lstrip("!"): key for key in kind}
        found = [f"{path}.{key}: unknown field" for key in value if key not in known]
        found += [f"{path}.{key[1:]}: missing" for key in kind if key[0] == "!" and key[1:] not in value]
        for key in value:
            if key in known:
                found += problems(value[key], kind[known[key]], f"{path}.{key}")
        return found
    if isinstance(kind, list):
        if not isinstance(value, list) or not value:
            return [f"{path}: not a list with items"]
        return [problem for i, item in enumerate(value) for problem in problems(item, kind[0], f"{path}[{i}]")]
    if isinstance(kind, tuple):
        return [] if value in kind else [f"{path}: {value!r} is not one of {kind}"]
    return [] if type(value) is kind else [f"{path}: {value!r} is not a {kind.__name__}"]


def check(jobs):
    found = []
    for job in jobs:
        found += problems(job, JOB, job.get("kind", "?"))
        spec = job["spec"]
        if spec.get("completionMode") == "Indexed" and not spec.get("completions"):
            found.append("an Indexed Job needs completions")
        pod = spec["template"]["spec"]
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            found += [f"no volume {mount['name']}" for mount in container.get("volumeMounts", []) if mount["name"] not in volumes]
    return found


def run(job, folder, **environment):
    """Runs the command of the pod with the folder as its volume. Returns the exit code."""
    container, = job["spec"]["template"]["spec"]["containers"]
    words = [word.replace("/data", folder) for word in container["command"] + container["args"]]
    path = f"{os.path.dirname(program)}:{os.environ['PATH']}"
    environment.update({variable["name"]: variable["value"] for variable in container.get("env", [])})
    return subprocess.run(words, env={**os.environ, "PATH": path, **environment}, check=False).returncode


failed = []
jobs = list(yaml.safe_load_all((recipes / "kubernetes.yaml").read_text()))
failed += check(jobs)

# The check finds what is wrong.
for key, value in (("completions", "8"), ("completion", 8), ("template", {"spec": {}})):
    wrong = json.loads(json.dumps(jobs[0]))
    wrong["spec"][key] = value
    if not problems(wrong, JOB, "Job"):
        failed.append(f"the test does not notice {key}: {value}")

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([recipes.parent / "conformance/cli/shard_capture.py", traffic, folder, "300"], check=True)
    day, whole = f"{folder}/day.pcap", f"{folder}/whole"
    os.rename(f"{folder}/big-1.pcap", day)
    with open(whole, "w", encoding="utf-8") as out:
        code = subprocess.run([program, "check", "--format", "jsonl", day], stdout=out, check=False).returncode
    if code != 1:
        failed.append(f"exit code {code} of one check")
    indexed, merge = jobs
    if run(merge, folder) == 0:
        failed.append("the merge succeeds before the parts are there")
    for index in range(indexed["spec"]["completions"]):
        if run(indexed, folder, JOB_COMPLETION_INDEX=str(index)) != 0:
            failed.append(f"pod {index} fails")
    if run(merge, folder) != 0:
        failed.append("the merge fails")
    elif not filecmp.cmp(f"{folder}/day.pcap.results/results.jsonl", whole, shallow=False):
        failed.append("the pods' results are not those of one check")
    # The same folder again: the merge would take the parts of the first run.
    if run(indexed, folder, JOB_COMPLETION_INDEX="0") == 0 or run(merge, folder) == 0:
        failed.append("results of an earlier run are not refused")

schema = subprocess.run([recipes / "npm.sh", cache, "kubernetes-models@4.5.1"], check=False).returncode
if schema == 0:
    subprocess.run(["node", recipes / "kubernetes.cjs"], env={**os.environ, "NODE_PATH": f"{cache}/node_modules"},
                   input=json.dumps(jobs), text=True, check=True)
elif schema != 77:
    failed.append("npm.sh failed")
print("\n".join(failed))
# Without the schema the test is not whole.
sys.exit(1 if failed else schema)
