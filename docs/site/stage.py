#!/usr/bin/env python3
"""Puts the pages of the site into a folder.

  stage.py reference OUT.json PROGRAM...   the options of all commands, and the tables of `warpcheck list`. OUT.json changes only
                                           if they do.
  stage.py pages REFERENCE.json FOLDER     the Markdown of the project and the files that it links to, in the layout of the
                                           project, and pages made of REFERENCE.json. Prints their sources.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IGNORED = {"build", "results", "debian", ".git"}
# The requirements are docs/coverage.md; the fields are columns of the layouts.
TABLES = ("cases", "defects", "variants", "profiles", "layouts", "opcodes", "errors", "upper")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def reference(programs):
    """What the programs say about themselves."""
    warpcheck, *others = programs
    commands = re.search(r"\nCommands:\n(.*?)\n\n", output(warpcheck, "help"), re.DOTALL)[1]
    helps = {"warpcheck": output(warpcheck, "help")}
    for line in commands.split("\n"):
        name = line.split()[0]
        helps[f"warpcheck {name}"] = output(warpcheck, name, "--help")
    for other in others:
        helps[pathlib.Path(other).name] = output(other, "--help")
    return {"commands": helps, "tables": {name: output(warpcheck, "list", name, "--format", "markdown") for name in TABLES}}


def project_pages():
    for entry in sorted(ROOT.iterdir()):
        if entry.name in IGNORED or entry.name.startswith(".") or (entry / "CMakeCache.txt").exists():
            continue  # a build may have any name
        yield from [entry] if entry.suffix == ".md" else sorted(entry.glob("**/*.md"))


LINKS = {".md": r"\]\(([^)\s#]+)\)", ".html": r'\b(?:href|src)="([^"#]+)"'}


def linked_files(page, found=None):
    """Files of the project that are no pages, and to which the page has links, or pages of HTML among these files."""
    found = set() if found is None else found
    for target in re.findall(LINKS[page.suffix], page.read_text()):
        path = (page.parent / target).resolve()
        if re.match(r"https?:", target) or path.suffix == ".md" or not path.is_file() or ROOT not in path.parents or path in found:
            continue
        found.add(path)
        if path.suffix in LINKS:
            linked_files(path, found)
    return found


def write_reference(known, folder):
    """A page for each command, and one for each table."""
    for name, text in known["commands"].items():
        page = folder / "reference" / "commands" / (name.replace(" ", "-") + ".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {name}\n\n```text\n{text.rstrip()}\n```\n")
    for name, text in known["tables"].items():
        page = folder / "reference" / "tables" / (name + ".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {name.capitalize()}\n\nMade by `warpcheck list {name}`.\n\n{text}")


def main():
    mode, first, *rest = sys.argv[1:]
    if mode == "reference":
        out, text = pathlib.Path(first), json.dumps(reference(rest), indent=1)
        if not out.exists() or out.read_text() != text:
            out.write_text(text)
        return
    folder = pathlib.Path(rest[0])
    shutil.rmtree(folder, ignore_errors=True)
    for page in project_pages():
        for source in [page, *linked_files(page)]:
            copy = folder / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    write_reference(json.loads(pathlib.Path(first).read_text()), folder)


main()
