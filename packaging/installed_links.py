#!/usr/bin/env python3
"""installed_links.py FOLDER: the links of all pages that are installed below the folder (Markdown, HTML) lead to files below it.
Prints those that do not."""
import html.parser
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(sys.argv[1]).resolve()


class Targets(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def markdown_targets(text):
    """Of links and pictures, but not in examples."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "``", text))


def check(page):
    """The number of links that lead to a file, and those that do not."""
    text = page.read_text()
    targets = markdown_targets(text) if page.suffix == ".md" else Targets(text).found
    good, broken = 0, []
    for target in targets:
        url = urllib.parse.urlparse(target)
        if url.scheme or url.netloc or not url.path:
            continue
        other = (page.parent / urllib.parse.unquote(url.path)).resolve()
        if ROOT in other.parents and other.exists():
            good += 1
        else:
            broken.append(target)
    return good, broken


pages = sorted(page for page in ROOT.glob("**/*") if page.suffix in (".md", ".html") and page.is_file())
total, faults = 0, 0
for page in pages:
    good, broken = check(page)
    total += good
    faults += len(broken)
    for target in broken:
        print(f"{page.relative_to(ROOT)}: no such file: {target}")
print(f"{len(pages)} pages, {total} links, {faults} faults")
sys.exit(bool(faults) or total == 0)
