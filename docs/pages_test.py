#!/usr/bin/env python3
"""pages_test.py WARPCHECK: what holds for all pages of docs/ and the README of the project, besides what they show being true:
  - links lead to a file and an anchor that exist, and each page can be reached from docs/README.md
  - a block of commands is run by a test (```console, ```lua), or a comment before it says why not: <!-- not run: REASON -->
  - commands that are not run have options and files that exist
  - a script makes each picture
  - pages that sources and messages name exist
  - docs/install.md names each option of the build, scripts/README.md each file of scripts/
"""
import collections
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# What a language of a fenced block means; LUA is run by examples_test.sh, which gets scripts.md alone.
RUN, LUA, SHOWN = "console", "lua", {"text", "json", "mermaid"}
FOLDERS = ("scripts", "recipes", "conformance", "generator", "captures")
SOURCES = ("core", "generator", "conformance", "dissector", "captures", "bench", "fuzz", "scripts", "recipes", "cmake", "docs")
IGNORED = ("build", "results", "debian")
PICTURE_SCRIPTS = ("screenshots.sh", "report-picture.sh")

faults = []


def fault(page, line, text):
    faults.append(f"{page.relative_to(ROOT)}:{line}: {text}")


def blocks(page):
    """Yields (line, kind, lines): kind is "fence LANGUAGE", "indented", "comment" or "text"."""
    lines = page.read_text().split("\n")
    at = 0
    while at < len(lines):
        begin = at
        if lines[at].startswith("```"):
            at += 1
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            yield begin + 1, "fence " + lines[begin][3:], lines[begin + 1:at]
        elif lines[at].startswith("<!--"):
            while "-->" not in lines[at]:
                at += 1
            yield begin + 1, "comment", lines[begin:at + 1]
        elif lines[at].startswith("    ") and (begin == 0 or not lines[begin - 1].strip()):
            while at < len(lines) and lines[at].startswith("    "):
                at += 1
            yield begin + 1, "indented", lines[begin:at]
            continue
        elif lines[at].strip():
            yield begin + 1, "text", [lines[at]]
        at += 1


def without_code(line):
    return re.sub(r"`[^`]*`", "``", line)


def slug(heading):
    """The anchor that a forge makes of a heading."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").replace("*", ""))
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


@functools.lru_cache(None)
def anchors(page):
    found = collections.Counter()
    for _, kind, lines in blocks(page):
        if kind != "text":
            continue
        found.update(re.findall(r'<a id="([^"]+)">', lines[0]))
        heading = re.match(r"#+ (.*)", lines[0])
        if heading:
            found[slug(heading.group(1))] += 1
    return found


def links(page):
    for line, kind, lines in blocks(page):
        if kind == "text":
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code(lines[0])):
                yield line, target
        # A link may continue on the next line: its text, never its target.


def check_links(page):
    for line, target in links(page):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists():
            fault(page, line, f"no such file: {target}")
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            fault(page, line, f"no such anchor: {target}")
    for anchor, count in anchors(page).items():
        if count > 1:
            fault(page, 1, f"{count} anchors {anchor}: a forge and the site number them differently")


@functools.lru_cache(None)
def usage(program, command):
    words = [program] + ([command] if command else []) + ["--help"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def check_command(page, line, command):
    """Options of warpcheck, and files of the project, that the command names."""
    for words in re.findall(r"(?:^|[;|&(' /])warpcheck ((?:[a-z][a-z-]*) [^|;&#]*)", command):
        name = words.split()[0]
        text = usage(WARPCHECK, name)
        if not text.startswith("Usage:"):
            fault(page, line, f"no such command: warpcheck {name}")
            continue
        plain = re.sub(r"'[^']*'|\"[^\"]*\"", "''", words)
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", plain):
            if not re.search(re.escape(option) + r"(?![a-z-])", text):
                fault(page, line, f"warpcheck {name} has no {option}")
    for path in re.findall(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./-]+", command):
        if not (ROOT / path.rstrip(".")).exists():
            fault(page, line, f"no such file: {path}")


def check_blocks(page):
    reason = None
    for line, kind, lines in blocks(page):
        if kind == "comment":
            reason = re.match(r"<!-- not run: \S", lines[0])
            continue
        if kind == "indented":
            if not reason:
                fault(page, line, "commands that no test runs, and no <!-- not run: REASON --> before them")
            check_command(page, line, " ".join(text.strip().rstrip("\\") if text.endswith("\\") else text.strip() + " ;"
                                               for text in lines))
        elif kind.startswith("fence"):
            language = kind[6:]
            if language not in SHOWN | {RUN, LUA}:
                fault(page, line, f"a block of the language '{language}' is not run, and is no {', '.join(sorted(SHOWN))}")
            if language == RUN and not any(text.startswith("$ ") for text in lines):
                fault(page, line, "a block of commands without a command")
            if language == RUN and page.parent != DOCS:
                fault(page, line, "tests run the commands of docs/ only")
            # console_test.sh writes the block to a file, which a later command has to use.
            name = re.fullmatch(r"-- (\S+\.lua)", lines[0]) if lines else None
            if language == LUA and page.name != "scripts.md" and not (name and re.search(rf"^\$ .*{re.escape(name[1])}", page.read_text(), re.M)):
                fault(page, line, "no test runs this example")
        else:
            for code in re.findall(r"`([^`]+)`", lines[0]):
                if code.startswith("warpcheck "):
                    check_command(page, line, code)
        reason = None


def check_pictures(pages):
    scripts = "".join((ROOT / "scripts" / name).read_text() for name in PICTURE_SCRIPTS)
    shown = {(page.parent / target).resolve() for page in pages for _, target in links(page) if target.endswith(".png")}
    for picture in sorted(DOCS.glob("*.png")):
        if picture not in shown:
            fault(picture, 1, "no page shows it")
        if not re.search(rf"\b{re.escape(picture.stem)}\b", scripts):
            fault(picture, 1, f"none of {', '.join(PICTURE_SCRIPTS)} makes it")


def check_reachable(pages):
    seen, waiting = set(), [DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        waiting += [(page.parent / target.partition("#")[0]).resolve() for _, target in links(page) if ".md" in target]
    for page in pages:
        if page not in seen:
            fault(page, 1, "no link leads here from docs/README.md")


def check_mentions():
    for folder in SOURCES:
        for source in sorted((ROOT / folder).glob("**/*")):
            if source.suffix in (".c", ".h", ".def", ".lua", ".sh", ".py", ".txt", ".cmake"):
                for line, text in enumerate(source.read_text(errors="replace").split("\n"), 1):
                    for name in re.findall(r"\bdocs/[\w/-]+\.md\b", text):
                        if not (ROOT / name).exists():
                            fault(source, line, f"no such page: {name}")


def check_options():
    """Of the build: option(NAME ...), set(NAME ... CACHE STRING|PATH ...), and the places of Wireshark."""
    declared = r"^ *(?:option\(|warpcheck_wireshark_place\()(\w+)|^ *set\((\w+) [^)]*?CACHE (?:STRING|PATH)"
    sources = [*ROOT.glob("CMakeLists.txt"), *ROOT.glob("cmake/*.cmake"), *ROOT.glob("[a-z]*/CMakeLists.txt")]
    page = DOCS / "install.md"
    for name in sorted({one or other for source in sources for one, other in re.findall(declared, source.read_text(), re.M)}):
        if f"`{name}`" not in page.read_text():
            fault(page, 1, f"does not name the option {name}")


def check_scripts():
    page = ROOT / "scripts/README.md"
    for script in sorted((ROOT / "scripts").iterdir()):
        if script.is_file() and script != page and f"`{script.name}`" not in page.read_text():
            fault(page, 1, f"does not name {script.name}")


WARPCHECK = sys.argv[1]
written = sorted(DOCS.glob("*.md")) + [ROOT / "README.md"]
for page in written:
    check_blocks(page)
every = sorted(page for name in ROOT.iterdir() if name.name not in IGNORED and not (name / "CMakeCache.txt").exists()
               for page in ([name] if name.suffix == ".md" else name.glob("**/*.md")))
for page in every:
    check_links(page)
check_pictures(every)
check_reachable(every)
check_mentions()
check_options()
check_scripts()
print("\n".join(faults))
print(f"{len(every)} pages, {len(faults)} faults")
sys.exit(bool(faults))
