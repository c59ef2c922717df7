"use strict";
/* The page of watch --http. Every text from the program goes into the document by textContent: it may contain octets of
 * foreign packets. */

(() => {
  const FINDINGS = 100, REPORTS = 20; /* as many as the program keeps for a new page */
  const byId = (id) => document.getElementById(id);
  const body = document.querySelector("#connections tbody");
  const rows = new Map(); /* by id */

  const element = (name, text, className = "") => {
    const one = document.createElement(name);
    one.textContent = text;
    one.className = className;
    return one;
  };
  const number = (value) => value.toLocaleString("en");
  const words = { violates: "violates", conforms: "conforms", "not fully judged": "unjudged" };

  const cells = (row) => {
    const verdict = element("td", "");
    if (row.verdict !== "") verdict.append(element("span", row.verdict, `tag ${words[row.verdict] || "note"}`));
    return [
      element("td", `${row.sctp ? "session" : "stream"} ${row.stream}`),
      element("td", row.address[0], "address"),
      element("td", row.address[1], "address"),
      element("td", row.state),
      verdict,
      element("td", number(row.error), row.error > 0 ? "number error" : "number nil"),
      element("td", number(row.warning), row.warning > 0 ? "number warning" : "number nil"),
      element("td", number(row.note), row.note > 0 ? "number note" : "number nil"),
      element("td", row.octets.map(number).join(" / "), "number"),
      element("td", row.rate.map(number).join(" / "), "number"),
      element("td", row.outstanding.map(number).join(" / "), "number"),
    ];
  };

  const takeRow = (row) => {
    let tr = rows.get(row.id);
    if (tr === undefined) {
      tr = document.createElement("tr");
      rows.set(row.id, tr);
      body.prepend(tr);
    }
    tr.replaceChildren(...cells(row));
  };

  const keepNewest = (list, most) => {
    while (list.childElementCount > most) list.lastElementChild.remove();
  };

  const takeFinding = (finding) => {
    const one = element("li", "", `finding ${finding.waived ? "waived" : finding.severity}`);
    one.append(
      element("p", `${finding.waived ? "waived " : ""}${finding.severity}: ${finding.message}`, "message"),
      element("p", `${finding.requirement}, ${finding.side || finding.address}, ` +
        `${finding.sctp ? "session" : "stream"} ${finding.stream}, frame ${finding.frame}, ${finding.time}`, "place"));
    if (finding.expected !== undefined && finding.actual !== undefined)
      one.append(element("p", `expected ${finding.expected}, actual ${finding.actual}`, "place"));
    byId("findings").prepend(one);
    keepNewest(byId("findings"), FINDINGS);
  };

  const takeTotals = (totals) => {
    byId("state").textContent = totals.over ? "the watch has ended" : "watching";
    byId("totals").textContent = `${number(totals.startup)} in startup, ${number(totals.open)} open, ` +
      `${number(totals.closing)} closing, ${number(totals.ended)} ended; ${number(totals.packets)} packets, ` +
      `${number(totals.packet_rate)}/s, ${number(totals.lost)} lost`;
    byId("shown").textContent = totals.hidden > 0 ? `${number(totals.hidden)} more connections are not shown` : "";
  };

  const clear = () => {
    rows.clear();
    for (const list of [body, byId("findings"), byId("reports")]) list.replaceChildren();
  };

  const source = new EventSource("/events");
  source.addEventListener("update", (event) => {
    const update = JSON.parse(event.data);
    if (update.begin) clear();
    for (const id of update.gone) {
      rows.get(id)?.remove();
      rows.delete(id);
    }
    update.rows.forEach(takeRow);
    update.findings.forEach(takeFinding);
    for (const report of update.reports) byId("reports").prepend(element("pre", report));
    keepNewest(byId("reports"), REPORTS);
    takeTotals(update.totals);
    if (update.totals.over) source.close();
  });
  source.addEventListener("error", () => {
    byId("state").textContent = "not connected";
  });
})();
