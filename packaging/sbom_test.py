#!/usr/bin/env python3
"""sbom_test.py BUILD: what scripts/sbom.py writes for a build has the fields that SPDX 2.3 requires, its references lead somewhere, and
it names all that readelf and the build folder show. A bill with one fault must be rejected, so that this test can fail."""
import copy
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

BUILD = Path(sys.argv[1])
HERE = Path(__file__).resolve().parent
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "DYNAMIC_LINK", "STATIC_LINK", "BUILD_TOOL_OF"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def faults(bill):
    """What SPDX 2.3 (clauses 6 to 11) asks for, and the bill lacks."""
    found = []

    def need(true, text):
        if not true:
            found.append(text)

    # Clause 6: the document.
    need(bill.get("spdxVersion") == "SPDX-2.3", "spdxVersion")
    need(bill.get("dataLicense") == "CC0-1.0", "dataLicense")
    need(bill.get("SPDXID") == "SPDXRef-DOCUMENT", "SPDXID of the document")
    need(bill.get("name"), "name of the document")
    need(re.fullmatch(r"https?://[^#\s]+", bill.get("documentNamespace", "")), "documentNamespace: an absolute URI without #")
    creation = bill.get("creationInfo", {})
    need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation.get("created", "")), "created")
    creators = creation.get("creators", [])
    need(creators and all(re.match(r"(Tool|Person|Organization): \S", one) for one in creators), "creators")

    # Clauses 7 and 8: packages and files.
    ids = ["SPDXRef-DOCUMENT"]
    for package in bill.get("packages", []):
        ids.append(package.get("SPDXID", ""))
        need(package.get("name"), f"name of {ids[-1]}")
        need(re.fullmatch(r"NOASSERTION|NONE|\w+(\+\w+)?://\S+", package.get("downloadLocation", "")), f"downloadLocation of {ids[-1]}")
        # Analysed files need a verification code; nothing else does.
        need(package.get("filesAnalyzed") is False or "packageVerificationCode" in package, f"packageVerificationCode of {ids[-1]}")
        for reference in package.get("externalRefs", []):
            need({"referenceCategory", "referenceType", "referenceLocator"} <= reference.keys(), f"externalRefs of {ids[-1]}")
            need(re.fullmatch(r"pkg:[a-z]+/\S+@[^\s+]+", reference.get("referenceLocator", "")), f"purl of {ids[-1]}")
    for file in bill.get("files", []):
        ids.append(file.get("SPDXID", ""))
        need(file.get("fileName", "").startswith("./"), f"fileName of {ids[-1]}: relative")
        need([one for one in file.get("checksums", []) if one["algorithm"] == "SHA1" and re.fullmatch("[0-9a-f]{40}", one["checksumValue"])],
             f"SHA1 of {ids[-1]}")
    need(len(bill.get("packages", [])) > 0, "packages")
    for one in ids:
        need(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one), f"SPDXID {one!r}")
    need(len(set(ids)) == len(ids), "each SPDXID once")

    # Clause 11: relationships.
    pairs = bill.get("relationships", [])
    for pair in pairs:
        need(pair.get("spdxElementId") in ids and pair.get("relatedSpdxElement") in ids, f"elements of {pair}")
        need(pair.get("relationshipType") in RELATIONSHIPS, f"relationshipType of {pair}")
    need([one for one in pairs if one.get("relationshipType") == "DESCRIBES"], "a DESCRIBES of the document")
    return found


def contents(bill):
    """What the build contains, by other means than those of the script, and the bill does not name."""
    missing = []
    files = {file["fileName"]: file for file in bill["files"]}
    linked = {}
    for pair in bill["relationships"]:
        if pair["relationshipType"] == "DYNAMIC_LINK":
            linked.setdefault(pair["spdxElementId"], set()).add(pair["relatedSpdxElement"])
    for path in [BUILD / "warpcheck", BUILD / "warpcheck-agent", *BUILD.glob("dissector/*/epan/iwarp.so")]:
        if not path.exists():
            continue
        file = files.get("./" + str(path.relative_to(BUILD)))
        if not file:
            missing.append(path)
            continue
        sums = {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
        if sums["SHA256"] != hashlib.sha256(path.read_bytes()).hexdigest():
            missing.append(f"SHA256 of {path}")
        sonames = re.findall(r"NEEDED\s+(\S+)", run("objdump", "--private-headers", str(path)))
        # Libraries of one package count once.
        if len(sonames) < 2 or not 1 <= len(linked.get(file["SPDXID"], ())) <= len(sonames):
            missing.append(f"libraries of {path}")
    names = {package["name"] for package in bill["packages"]}
    for library in ("pcap", "crypto|ssl", "lua5", "xml2", "jansson"):
        if not any(re.search(library, name) for name in names):
            missing.append(library)
    program = next(file["SPDXID"] for file in bill["files"] if file["fileName"] == "./warpcheck")
    inside = {pair["relatedSpdxElement"] for pair in bill["relationships"]
              if pair["spdxElementId"] == program and pair["relationshipType"] == "CONTAINS"}
    for path in (HERE.parent / "conformance/cases").glob("*.lua"):
        name = "./" + str(path.relative_to(HERE.parent))
        if name not in files or files[name]["SPDXID"] not in inside:
            missing.append(name)
    return missing


def main():
    script = HERE.parent / "scripts/sbom.py"
    text = run(script, BUILD)
    bill = json.loads(text)
    wrong = faults(bill) + contents(bill)
    if run(script, BUILD) != text:
        wrong.append("the second run writes other octets")

    # Each fault is detected.
    def broken(change):
        other = copy.deepcopy(bill)
        change(other)
        return faults(other) or contents(other)
    library = next(one for one in bill["packages"] if "pcap" in one["name"])
    changes = {
        "no creator": lambda one: one["creationInfo"].pop("creators"),
        "no namespace": lambda one: one.pop("documentNamespace"),
        "no download location": lambda one: one["packages"][0].pop("downloadLocation"),
        "an id twice": lambda one: one["packages"].append(one["packages"][0]),
        "no SHA1": lambda one: one["files"][0].update(checksums=one["files"][0]["checksums"][1:]),
        "a lost package": lambda one: one["packages"].remove(library),
        "a file without its case": lambda one: one["files"].pop(next(
            at for at, file in enumerate(one["files"]) if "cases" in file["fileName"])),
        "no relationship": lambda one: one.update(relationships=[]),
    }
    wrong += [f"not detected: {name}" for name, change in changes.items() if not broken(change)]
    for one in wrong:
        print("sbom:", one)
    print(f"sbom: {len(bill['packages'])} packages, {len(bill['files'])} files")
    return 1 if wrong else 0


sys.exit(main())
