#!/usr/bin/env python3
"""site_test.py SITE MKDOCS...: tests the site that the build has made in the folder SITE. MKDOCS is the command that makes it,
without --site-dir. Needs chromium for the search; without it that part is left out."""
import filecmp
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

DOCS = pathlib.Path(__file__).resolve().parent.parent
# Attributes by which a page loads something, or leads somewhere.
LOADS = {"src", "srcset", "data", "poster", "action"}
# A query, and a place that must be among the first three that it finds.
SEARCHES = {
    "outstanding requests": "docs/decides.html#outstanding-requests",
    "RFC5044-4.4-11": "docs/coverage.html#RFC5044-4.4-11",
    "port mapper captured": "docs/inputs.html#the-iwarp-port-mapper",
    "--evidence-limit": "docs/run.html#options",
}

faults = []


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            elif name in LOADS or (name == "href" and tag == "link"):
                self.loaded.append(value)
            elif name == "href" and tag == "a":
                self.links.append(value)


def check_same(site, mkdocs, work):
    again = work / "again"
    made = subprocess.run([*mkdocs, "--site-dir", str(again)], capture_output=True, text=True, check=False)
    if made.returncode or made.stderr or made.stdout:
        faults.append(f"mkdocs: exit code {made.returncode}: {made.stdout}{made.stderr}")
        return
    compared = filecmp.dircmp(site, again)
    waiting = [compared]
    while waiting:
        one = waiting.pop()
        _, differ, odd = filecmp.cmpfiles(one.left, one.right, one.common_files, shallow=False)
        faults.extend(f"{one.left}: {name} differs in a second build" for name in differ + odd + one.left_only + one.right_only)
        waiting += one.subdirs.values()


def check_links(site):
    pages = {path: Page(path.read_text()) for path in sorted(site.glob("**/*.html"))}
    for path, page in pages.items():
        for target in page.loaded + page.links:
            url = urllib.parse.urlparse(target)
            if url.scheme == "data":
                continue
            if url.scheme or url.netloc:
                if target in page.loaded:
                    faults.append(f"{path}: loads {target}")
                continue
            other = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not other.is_file():
                faults.append(f"{path}: no such file: {target}")
            elif url.fragment and other in pages and urllib.parse.unquote(url.fragment) not in pages[other].ids:
                faults.append(f"{path}: no such anchor: {target}")
    for path in [*site.glob("**/*.css"), site / "search.js"]:
        if re.search(r"https?:|//[\w.-]+/|@import|fetch\(", path.read_text()):
            faults.append(f"{path}: loads something from elsewhere")
    return pages


def check_complete(site, pages):
    start = pages[site / "index.html"]
    for page in sorted(DOCS.glob("*.md")):
        name = f"docs/{'index' if page.stem == 'README' else page.stem}.html"
        if name not in start.links:
            faults.append(f"the site's list of pages lacks {name}")
    for kind in ("commands/warpcheck-check", "tables/defects"):
        if f"reference/{kind}.html" not in start.links:
            faults.append(f"the site's list of pages lacks reference/{kind}.html")


def search(site, words, work):
    """The targets that the search page shows for the words, opened as a file, with a proxy that does not exist."""
    url = f"{(site / 'search.html').as_uri()}?q={urllib.parse.quote(words)}"
    shown = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work / 'profile'}",
                            "--proxy-server=127.0.0.1:9", "--dump-dom", url], capture_output=True, text=True, check=False, timeout=120)
    results = re.search(r'<ol id="results">(.*?)</ol>', shown.stdout, re.DOTALL)
    return re.findall(r'<li><a href="([^"]+)"', results[1]) if results else None


def main():
    site, mkdocs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_same(site, mkdocs, work)
        pages = check_links(site)
        check_complete(site, pages)
        if shutil.which("chromium"):
            for words, wanted in SEARCHES.items():
                found = search(site, words, work)
                if wanted not in (found or [])[:3]:
                    faults.append(f"search for '{words}': found {(found or ['nothing'])[:3]}, not {wanted}")
            if search(site, "xyzzyplugh", work) != []:
                faults.append("search finds a word that no page has")
        else:
            print("without chromium: the search is not tested")
    print("\n".join(faults))
    print(f"{len(pages)} pages, {len(faults)} faults")
    sys.exit(bool(faults))


main()
