"use strict";
/* The page of a check: findings, connections and lines of the wire log. */

(() => {
  const { form, all, plain, textOf, show } = page;
  const findings = all(".clause > .findings > .finding"); /* with their consequences */
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

  /* Shows a finding if it or one of its consequences matches: a consequence is not shown without its cause. */
  const keepsFinding = (item, want) =>
    isOfConnection(item, want) && hasText(item, want) &&
    [item, ...all(".finding", item)].some((one) => isFinding(one, want));

  const keepsLine = (line, want) =>
    isOfConnection(line.closest(".talk"), want) && hasText(line, want) &&
    ((want.severities === null && want.clause === "") || all(".tag", line).some((tag) => isFinding(tag, want)));

  /* Hides each container whose content is all hidden. */
  const foldEmpty = (selector, content) => {
    for (const container of all(selector))
      container.hidden = !all(content, container).some((element) => !element.hidden);
  };

  const filter = () => {
    const want = wanted();
    /* A connection with a matching finding is shown. */
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
    return counts.map(([shown, of, what]) => `${shown} of ${of} ${what}`).join(", ");
  };

  /* Reads the texts of a long page in idle time, before a search needs them. */
  const ahead = [findings, rows, details, lines].flat();
  const readAhead = (deadline) => {
    while (ahead.length > 0 && deadline.timeRemaining() > 2) textOf(ahead.pop());
    if (ahead.length > 0) requestIdleCallback(readAhead);
  };
  if (window.requestIdleCallback) requestIdleCallback(readAhead);

  page.begin({
    filter,
    only: "a[data-only]",
    want: (link) => { form.elements.connection.value = link.dataset.only; },
  });
})();
