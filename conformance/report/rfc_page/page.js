"use strict";
/* The page of the RFCs: requirements by section. */

(() => {
  const { form, all, plain, textOf, show } = page;
  const requirements = all(".requirement");
  const sections = all(".part");
  const documents = all(".document");
  const heading = new Map(sections.map((one) => [one, one.querySelector("h3")]));

  const wanted = () => {
    const data = new FormData(form);
    return {
      states: new Set(data.getAll("state")),
      text: plain(data.get("text")),
      of: data.get("document"),
      level: data.get("level"),
      everything: data.getAll("state").length === all("[name=state]", form).length,
    };
  };

  const hasText = (row, want) => want.text === "" || textOf(row).includes(want.text) ||
    textOf(heading.get(row.closest(".part"))).includes(want.text);

  const keeps = (row, want) => row.dataset.states.split(" ").some((one) => want.states.has(one)) &&
    (want.of === "" || row.dataset.document === want.of) &&
    (want.level === "" || row.dataset.level === want.level) && hasText(row, want);

  /* A section without requirements is shown only if the filter selects nothing but documents. */
  const keepsSection = (one, want, whole) => one.matches(".bare")
    ? whole && (want.of === "" || one.closest(".document").querySelector(".requirement").dataset.document === want.of)
    : all(".requirement", one).some((row) => !row.hidden);

  const filter = () => {
    const want = wanted();
    const whole = want.everything && want.text === "" && want.level === "";
    const shown = show(requirements, (row) => keeps(row, want));
    show(sections, (one) => keepsSection(one, want, whole));
    show(documents, (one) => all(".part", one).some((part) => !part.hidden));
    document.querySelector("[data-none]").hidden = shown > 0;
    return `${shown} of ${requirements.length} requirements`;
  };

  page.begin({
    filter,
    only: "a[data-state]",
    want: (link) => {
      for (const box of all("[name=state]", form)) box.checked = box.value === link.dataset.state;
      document.getElementById("filter-document").value = link.dataset.document;
    },
  });
})();
