
"use strict";
/* The page is complete without this script, which filters it, and opens what a link leads to or what is printed. */

(() => {
  const form = document.getElementById("filter");
  const status = document.getElementById("filter-status");
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  /* In small letters, with single blanks, and one between blocks. */
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const blocks = new Set(["TD", "TH", "P", "DT", "DD", "SUMMARY", "H3"]);
  const spaced = (element) => {
    let text = "";
    for (let at = element.firstChild; at !== null; at = at.nextSibling) {
      if (at.nodeType === Node.TEXT_NODE) text += at.data;
      else if (blocks.has(at.nodeName)) text += " " + spaced(at) + " ";
      else text += spaced(at);
    }
    return text;
  };
  const texts = new Map(); /* of an element: read once */
  const textOf = (element) => {
    let text = texts.get(element);
    if (text === undefined) texts.set(element, text = plain(spaced(element)));
    return text;
  };

  const findings = all(".clause > .findings > .finding"); /* with what follows from them */
  const lines = all(".talk tbody tr[id]");
  const rows = all("#connections tbody tr[data-connection]");
  const details = all("details.connection");

  const wanted = () => {
    const data = new FormData(form);
    const boxes = all("input[name=severity]", form);
    const isSet = data.get("text") !== "" || data.get("clause") !== "" || boxes.some((box) => !box.checked);
    return {
      isSet,
      text: plain(data.get("text")),
      severities: boxes.every((box) => box.checked) ? null : new Set(data.getAll("severity")),
      clause: data.get("clause"),
      connection: data.get("connection"),
    };
  };

  const hasText = (element, want) => want.text === "" || textOf(element).includes(want.text);
  const isOfConnection = (element, want) =>
    want.connection === "" || element.dataset.connection === want.connection;
  const isFinding = (element, want) =>
    (want.severities === null || want.severities.has(element.dataset.severity)) &&
    (want.clause === "" || element.dataset.clause === want.clause);

  /* A finding stays if it, or one that follows from it, is asked for: a consequence is not shown without its cause. */
  const keepsFinding = (item, want) =>
    isOfConnection(item, want) && hasText(item, want) &&
    [item, ...all(".finding", item)].some((one) => isFinding(one, want));

  const keepsLine = (line, want) =>
    isOfConnection(line.closest(".talk"), want) && hasText(line, want) &&
    ((want.severities === null && want.clause === "") || all(".tag", line).some((tag) => isFinding(tag, want)));

  const show = (elements, keeps) => {
    let shown = 0;
    for (const element of elements) {
      const keep = keeps(element);
      if (element.hidden === keep) element.hidden = !keep; /* what is as it was need not be laid out again */
      if (keep) shown += 1;
    }
    return shown;
  };

  /* A frame whose content is hidden altogether goes with it. */
  const foldEmpty = (selector, content) => {
    for (const frame of all(selector)) frame.hidden = !all(content, frame).some((element) => !element.hidden);
  };

  const filter = () => {
    const want = wanted();
    /* A connection is asked for by its findings, if by anything of theirs. */
    const found = new Set();
    const counts = [];
    show(findings, (item) => {
      const keeps = keepsFinding(item, want);
      if (keeps) found.add(item.dataset.connection);
      return keeps;
    });
    const each = all(".finding");
    counts.push([each.filter((one) => !one.closest("[hidden]")).length, each.length, "findings"]);
    const keepsConnection = (element) =>
      isOfConnection(element, want) && (
        want.severities === null && want.clause === "" ? hasText(element, want) || found.has(element.dataset.connection)
          : found.has(element.dataset.connection));
    counts.push([show(rows, keepsConnection), rows.length, "connections"]);
    show(details, keepsConnection);
    counts.push([show(lines, (line) => keepsLine(line, want)), lines.length, "lines of the log"]);
    foldEmpty(".clause", ":scope > .findings > .finding");
    foldEmpty(".talk", "tbody tr[id]");
    for (const gap of all(".talk .gap")) gap.hidden = want.isSet;
    foldEmpty("#connections > .scroll tbody", "tr[data-connection]");
    for (const none of all("[data-none]")) {
      const content = { connections: rows, findings, log: lines }[none.parentElement.id];
      none.hidden = content.length === 0 || content.some((element) => !element.hidden);
    }
    status.textContent = counts.map(([shown, of, what]) => `${shown} of ${of} ${what}`).join(", ");
  };

  /* What a link leads to must be there to be seen. */
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      filter();
    }
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const inner = target.matches("tr") && target.querySelector("details");
    if (inner) inner.open = true;
    target.scrollIntoView();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-only]");
    if (!link) return;
    form.reset();
    form.elements.connection.value = link.dataset.only;
    filter();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
  addEventListener("hashchange", reveal);
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));

  /* Of a long page the texts are read before they are asked for, while nobody waits. */
  const ahead = [findings, rows, details, lines].flat();
  const readAhead = (deadline) => {
    while (ahead.length > 0 && deadline.timeRemaining() > 2) textOf(ahead.pop());
    if (ahead.length > 0) requestIdleCallback(readAhead);
  };
  if (window.requestIdleCallback) requestIdleCallback(readAhead);

  form.hidden = false;
  filter();
  reveal();
})();
