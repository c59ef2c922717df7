"use strict";
/* The page of a matrix: cells, and the links to them in the table of pairs. */

(() => {
  const { form, all, plain, textOf, show } = page;
  const rows = all("#cells tbody tr");
  const links = new Map(all("#matrix td a").map((link) => [link.hash.slice(1), link]));

  const filter = () => {
    const data = new FormData(form);
    const verdicts = new Set(data.getAll("verdict"));
    const text = plain(data.get("text"));
    const fits = (row, name) => data.get(name) === "" || data.get(name) === row.dataset[name];

    const shown = show(rows, (row) => verdicts.has(row.dataset.verdict) &&
      fits(row, "initiator") && fits(row, "responder") && fits(row, "scenario") &&
      (!data.has("changed") || row.dataset.change !== "") && (text === "" || textOf(row).includes(text)));
    for (const row of rows) {
      const link = links.get(row.id);
      if (link) link.hidden = row.hidden;
    }
    document.querySelector("#cells [data-none]").hidden = shown > 0;
    return `${shown} of ${rows.length} cells`;
  };

  page.begin({ filter, only: "a[data-none]", want: () => {} });
})();
