"""Makes of the project's Markdown what a forge makes of it, and the index of the search. Called by mkdocs."""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess

index = []


def forge_slug(value, separator):
    return re.sub(r"[^\w\- ]", "", value.strip().lower()).replace(" ", separator)


def on_config(config, **_):
    index.clear()
    config["mdx_configs"]["toc"] = {"slugify": forge_slug}
    pages = pathlib.Path(config["docs_dir"])
    made = {"Options of commands": "commands", "Tables": "tables"}
    for entry in config["nav"]:
        for title in set(entry) & set(made):
            paths = sorted((pages / "reference" / made[title]).glob("*.md"))
            entry[title] = [f"{path.relative_to(pages)}" for path in paths]
    return config


def spaced_lists(markdown):
    """A forge begins a list after a line of text, and indents its items by 2; Python-Markdown needs a blank line, and 4."""
    out, fenced, in_list = [], False, False
    for line in markdown.split("\n"):
        item = re.match(r"( *)([-*]|\d+\.) ", line)
        if line.startswith("```"):
            fenced = not fenced
        if not fenced:
            before = out[-1] if out else ""
            if item and not item[1] and before.strip() and not in_list:
                out.append("")
            if item and not item[1]:
                in_list = True
            elif line.strip() and not line.startswith(" "):
                in_list = in_list and bool(before.strip()) and not line.startswith(("#", "```", "|"))
            elif in_list and re.match(r" {2,3}\S", line):
                line = "    " + line.lstrip()
                if item and before.strip() and not re.match(r"\s*([-*]|\d+\.) ", before):
                    out.append("")
        out.append(line)
    return "\n".join(out)


def drawn(mermaid):
    """A flowchart as SVG by graphviz; without graphviz its text."""
    lines = [line.strip() for line in mermaid.strip().split("\n")]
    if not lines[0].startswith("flowchart") or not shutil.which("dot"):
        return f"```text\n{mermaid}```\n"
    dot = ["digraph {", 'rankdir=BT; bgcolor="transparent";',
           'node [shape=box, style="rounded,filled", fillcolor="#eef3f8", fontname="sans-serif", fontsize=11];']
    for line in lines[1:]:
        node = re.fullmatch(r'(\w+)\["(.*)"\]', line)
        if node:
            dot.append(f'{node[1]} [label="{node[2].replace("<br>", chr(92) + "n")}"];')
        elif "-->" in line:
            dot.append(" -> ".join(part.strip() for part in line.split("-->")) + ";")
    svg = subprocess.run(["dot", "-Tsvg"], input="\n".join([*dot, "}"]), capture_output=True, text=True, check=True).stdout
    svg = re.sub(r"<!--.*?-->\n?", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    return f'<div class="drawing">\n{svg.strip()}\n</div>\n'


def on_page_markdown(markdown, **_):
    markdown = re.sub(r"^<!--.*?-->\n", "", markdown, flags=re.DOTALL | re.MULTILINE)
    markdown = re.sub(r"^```mermaid\n(.*?)^```\n", lambda match: drawn(match[1]), markdown, flags=re.DOTALL | re.MULTILINE)
    return spaced_lists(markdown)


class Sections(html.parser.HTMLParser):
    """Cuts a page into what the search finds: sections, and rows of long tables."""

    def __init__(self, title, url):
        super().__init__()
        self.title, self.url, self.found, self.heading, self.drawing = title, url, [], False, False
        self.begin("", "")

    def begin(self, anchor, heading):
        self.found.append({"t": self.title, "h": heading, "u": self.url + anchor, "x": ""})

    def handle_starttag(self, tag, attrs):
        anchor = dict(attrs).get("id")
        if tag in ("h2", "h3", "h4", "tr") and anchor:
            self.begin("#" + anchor, anchor if tag == "tr" else "")
            self.heading = tag != "tr"
        elif tag == "svg":
            self.drawing = True
        elif tag in ("p", "li", "td", "br", "pre"):
            self.found[-1]["x"] += " "

    def handle_endtag(self, tag):
        if tag in ("h2", "h3", "h4"):
            self.heading = False
        elif tag == "svg":
            self.drawing = False

    def handle_data(self, data):
        if not self.drawing:
            self.found[-1]["h" if self.heading else "x"] += data


def numbered_rows(html_text):
    """Rows of a long table become places to link to, named by their first cell."""
    def rows(table):
        if table[0].count("<tr>") < 100:
            return table[0]
        return re.sub(r"<tr>\s*<td>([^<]+)</td>",
                      lambda row: f'<tr id="{row[1].strip()}">\n<td>{row[1]}</td>' if re.fullmatch(r"[\w.-]+", row[1].strip()) else row[0],
                      table[0])
    return re.sub(r"<table>.*?</table>", rows, html_text, flags=re.DOTALL)


def on_page_content(html, page, **_):
    # A bar in the code of a table is escaped for the table, not for its reader.
    html = re.sub(r"<td>.*?</td>", lambda cell: cell[0].replace("\\|", "|"), html)
    html = re.sub(r"<table>", '<div class="wide"><table>', html).replace("</table>", "</table></div>")
    html = numbered_rows(html)
    sections = Sections(page.title, page.url)
    sections.feed(html)
    for entry in sections.found:
        entry["x"] = " ".join(entry["x"].split())
        if entry["x"] or entry["h"]:
            index.append(entry)
    return html


def on_post_build(config, **_):
    site = pathlib.Path(config["site_dir"])
    # A script and not JSON: a page opened as a file may load scripts, but may not fetch.
    (site / "search-index.js").write_text("const searchIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")
    for name in ("sitemap.xml", "sitemap.xml.gz"): # of a site with an address, and with today's date
        (site / name).unlink(missing_ok=True)
