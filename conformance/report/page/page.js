"use strict";
/* The page is complete without this script, which filters it, and opens what a link leads to or what is printed. */

(() => {
  const form = document.getElementById("filter");
  const status = document.getElementById("filter-status");
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();

  const rows = all("#cases tbody tr");
  const cases = all("#details > .case");
  const texts = cases.map(() => null); /* of each case: read once */
  const spaced = (root) => all("th, td, h3, p, summary, dt, dd, pre", root).map((one) => one.textContent).join(" ");
  const textOf = (at) => texts[at] ??= plain(spaced(rows[at]) + " " + spaced(cases[at]));
  let run = null; /* a run that a link has asked for: its place among the verdicts of a row */

  const filter = () => {
    const data = new FormData(form);
    const verdicts = new Set(data.getAll("verdict"));
    const text = plain(data.get("text"));
    const of = data.get("document");
    const keeps = (row, at) => {
      const own = row.dataset.verdicts.split(" ");
      return (run === null ? own.some((one) => verdicts.has(one)) : verdicts.has(own[run])) &&
        (of === "" || row.dataset.documents.split("|").includes(of)) &&
        (!data.has("differ") || row.dataset.differ === "yes") &&
        (text === "" || textOf(at).includes(text));
    };
    let shown = 0;
    rows.forEach((row, at) => {
      const keep = keeps(row, at);
      if (row.hidden === keep) row.hidden = !keep; /* what is as it was need not be laid out again */
      if (cases[at].hidden === keep) cases[at].hidden = !keep;
      if (keep) shown += 1;
    });
    /* Of the requirements those stay whose cases do; a section goes with its requirements. */
    let section = null;
    for (const row of all("#sections tbody tr")) {
      if (row.matches(".group")) {
        section = row;
        section.hidden = true;
        continue;
      }
      row.hidden = (of !== "" && row.dataset.document !== of) ||
        !row.querySelector(".beyond") && all("a", row).every((link) => cases[Number(link.hash.slice(2))].hidden);
      if (!row.hidden) section.hidden = false;
    }
    document.querySelector("#cases [data-none]").hidden = shown > 0;
    status.textContent = `${shown} of ${rows.length} cases`;
  };

  /* What a link leads to must be there to be seen. */
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      run = null;
      filter();
    }
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-run]");
    if (!link) return;
    form.reset();
    run = Number(link.dataset.run);
    filter();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])").filter((one) => !one.closest("[hidden]"));
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
  addEventListener("hashchange", reveal);
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    run = null;
    setTimeout(filter);
  });

  form.hidden = false;
  filter();
  reveal();
})();
