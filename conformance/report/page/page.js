"use strict";
/* The page of a report: cases, and the requirements that they test. */

(() => {
  const { form, all, plain, textOf, show } = page;
  const rows = all("#cases tbody tr");
  const cases = all("#details > .case");
  let run = null; /* the run that a link has selected: its index among the verdicts of a row; null: all runs */

  const wanted = () => {
    const data = new FormData(form);
    return {
      verdicts: new Set(data.getAll("verdict")),
      text: plain(data.get("text")),
      of: data.get("document"),
      differ: data.has("differ"),
    };
  };

  const hasVerdict = (row, want) => {
    const own = row.dataset.verdicts.split(" ");
    return run === null ? own.some((one) => want.verdicts.has(one)) : want.verdicts.has(own[run]);
  };

  const keepsCase = (row, at, want) => hasVerdict(row, want) &&
    (want.of === "" || row.dataset.documents.split("|").includes(want.of)) &&
    (!want.differ || row.dataset.differ === "yes") &&
    (want.text === "" || textOf(row).includes(want.text) || textOf(cases[at]).includes(want.text));

  /* Shows a requirement if one of its cases is shown, and a section if one of its requirements is. */
  const filterSections = (want) => {
    let section = null;
    for (const row of all("#sections tbody tr")) {
      if (row.matches(".group")) {
        section = row;
        section.hidden = true;
        continue;
      }
      row.hidden = (want.of !== "" && row.dataset.document !== want.of) ||
        !row.querySelector(".beyond") && all("a", row).every((link) => cases[Number(link.hash.slice(2))].hidden);
      if (!row.hidden) section.hidden = false;
    }
  };

  const filter = () => {
    const want = wanted();
    const shown = show(rows, (row, at) => keepsCase(row, at, want));
    show(cases, (one, at) => !rows[at].hidden);
    filterSections(want);
    document.querySelector("#cases [data-none]").hidden = shown > 0;
    return `${shown} of ${rows.length} cases`;
  };

  page.begin({
    filter,
    forget: () => { run = null; },
    only: "a[data-run]",
    want: (link) => { run = Number(link.dataset.run); },
  });
})();
