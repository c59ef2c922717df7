#!/usr/bin/env python3
"""sbom.py BUILD [-o FILE]: writes the software bill of materials of a build as SPDX 2.3 in JSON: the programs and the plugin, the
files of this tree that they contain, the libraries that they link, and the compiler. Versions are those of the Debian packages on
this machine; on another system, only the names of the libraries are known. The same build gives the same octets.
Exit code: 0 written, 3 environment."""
import argparse
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
OWN_LICENCE = "GPL-2.0-or-later"


def fail(message):
    print(f"sbom: {message}", file=sys.stderr)
    sys.exit(3)


def output_of_any(*command):
    """What the command prints, whatever its exit code; "" if it is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def project(name):
    """A setting of the top CMakeLists.txt: the version and its date have that one place."""
    text = (SOURCE / "CMakeLists.txt").read_text()
    found = re.search({"version": r"project\(warpcheck VERSION ([0-9.]+)", "date": r"set\(warpcheck_date ([0-9-]+)\)"}[name], text)
    return found.group(1) if found else fail(f"CMakeLists.txt has no {name}")


def delivered(build):
    """The ELF files that the build delivers."""
    files = [build / "warpcheck", build / "warpcheck-agent", *sorted(build.glob("dissector/*/epan/iwarp.so"))]
    files = [file for file in files if file.exists()]
    return files or fail(f"{build} contains no program: build it first")


def needed(file):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of_any("readelf", "--dynamic", str(file)))


def places(file):
    """Soname to path, as the dynamic loader finds it."""
    text = output_of_any("ldd", str(file))
    # The loader itself has its path only.
    return dict(re.findall(r"(\S+) => (/\S+)", text)) | {Path(one).name: one for one in re.findall(r"^\s*(/\S+) \(", text, re.M)}


def debian_packages(paths):
    """Path to name, version and architecture of the Debian package that contains it, for those of the paths that one contains. All
    at once, because each call of dpkg reads the lists of all packages."""
    # dpkg knows a file by the name in its package, with /usr or without.
    names = {}
    for path in paths:
        real = str(Path(path).resolve())
        names |= {name: path for name in (real, str(path), real.removeprefix("/usr"), "/usr" + str(path))}
    # It exits with 1 if one of the names is unknown.
    found = output_of_any("dpkg", "-S", *sorted(names)) if names else ""
    owner = {names[name]: package.split(",")[0] for package, name in re.findall(r"^(\S[^/]*): (/.*)$", found, re.M) if name in names}
    rows = output_of_any("dpkg-query", "-W", "-f", "${binary:Package}\t${Package}\t${Version}\t${Architecture}\n",
                         *sorted(set(owner.values()))) if owner else ""
    known = {}
    for binary, *fields in (row.split("\t") for row in rows.splitlines()):
        known[binary] = known[binary.split(":")[0]] = fields
    return {path: known[package] for path, package in owner.items() if package in known}


def embedded(build):
    """The files of this tree that the program contains as data, from the rules of the build."""
    text = (build / "build.ninja").read_text() if (build / "build.ninja").exists() else fail(f"{build} was not built with ninja")
    # A rule names files of the tree from which it was configured, wherever that is now.
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
    lists = re.findall(r'"-DFILES=([^"]*)"', text) + re.findall(r"-DFRAME=(\S+)", text)
    names = set()
    for name in ";".join(lists).split(";"):
        path = SOURCE / Path(name).relative_to(home)
        names |= set(path.glob("frame.*")) if path.is_dir() else {path}
    return sorted(names)


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


class Bill:
    def __init__(self):
        self.packages, self.files, self.relationships = {}, {}, []

    def relate(self, first, kind, second):
        self.relationships.append({"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second})

    def package(self, name, version, **more):
        name_id = identifier("Package", name)
        self.packages[name_id] = {
            "SPDXID": name_id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}
        return name_id

    def debian(self, fields, purpose):
        name, version, architecture = fields
        return self.package(name, version, supplier="Organization: Debian", primaryPackagePurpose=purpose, externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"}])

    def file(self, name, path, kind):
        octets = path.read_bytes()
        file_id = identifier("File", name)
        self.files[file_id] = {
            "SPDXID": file_id, "fileName": "./" + name, "fileTypes": [kind],
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(octets).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(octets).hexdigest()}],
            "licenseConcluded": OWN_LICENCE, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}
        return file_id


def bill(build):
    bom = Bill()
    own = bom.package("warpcheck", project("version"), licenseConcluded=OWN_LICENCE, licenseDeclared=OWN_LICENCE,
                      primaryPackagePurpose="APPLICATION")
    bom.relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
    found = {path: places(path) for path in delivered(build)}
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
    debian = debian_packages({compiler, *(place for one in found.values() for place in one.values())})
    for path, libraries in found.items():
        # The folder says for which Wireshark the plugin is.
        file = bom.file(str(path.relative_to(build)), path, "BINARY")
        bom.relate(own, "CONTAINS", file)
        for soname in needed(path):
            package = debian.get(libraries.get(soname))
            library = bom.debian(package, "LIBRARY") if package else bom.package(soname, "NOASSERTION", primaryPackagePurpose="LIBRARY")
            bom.relate(file, "DYNAMIC_LINK", library)
    program = identifier("File", "warpcheck")
    for path in embedded(build):
        bom.relate(program, "CONTAINS", bom.file(str(path.relative_to(SOURCE)), path, "SOURCE"))
    package = debian.get(compiler)
    tool = bom.debian(package, "APPLICATION") if package else bom.package(Path(compiler).name, "NOASSERTION")
    bom.relate(tool, "BUILD_TOOL_OF", own)

    relationships = [json.loads(text) for text in sorted({json.dumps(one) for one in bom.relationships})]
    contents = {"packages": [bom.packages[one] for one in sorted(bom.packages)], "files": [bom.files[one] for one in sorted(bom.files)],
                "relationships": relationships}
    digest = hashlib.sha256(json.dumps(contents).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"warpcheck-{project('version')}",
            "documentNamespace": f"https://warpcheck.example/spdx/warpcheck-{project('version')}-{digest}",
            "creationInfo": {"created": f"{project('date')}T00:00:00Z", "creators": ["Tool: warpcheck-scripts/sbom.py"]}, **contents}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    text = json.dumps(bill(arguments.build.resolve()), indent=1) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        sys.stdout.write(text)


main()
