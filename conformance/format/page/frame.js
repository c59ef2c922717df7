"use strict";
/* The common script of all pages; the script of each page calls page.begin. A page is complete without scripts: they
 * filter it, and open what a link leads to or what is printed. */

const page = (() => {
  const form = document.getElementById("filter");
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  /* In lower case, with single blanks, and a blank between blocks. */
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const blocks = new Set(["TD", "TH", "P", "DT", "DD", "SUMMARY", "H3", "PRE"]);
  const spaced = (element) => {
    let text = "";
    for (let at = element.firstChild; at !== null; at = at.nextSibling) {
      if (at.nodeType === Node.TEXT_NODE) text += at.data;
      else if (blocks.has(at.nodeName)) text += " " + spaced(at) + " ";
      else text += spaced(at);
    }
    return text;
  };
  const texts = new Map(); /* cache: the text of each element */
  const textOf = (element) => {
    let text = texts.get(element);
    if (text === undefined) texts.set(element, text = plain(spaced(element)));
    return text;
  };

  /* Shows the elements for which `keeps` returns true, hides the others, and returns the number of those shown. */
  const show = (elements, keeps) => {
    let shown = 0;
    elements.forEach((element, at) => {
      const keep = keeps(element, at);
      if (element.hidden === keep) element.hidden = !keep; /* an unchanged element needs no new layout */
      if (keep) shown += 1;
    });
    return shown;
  };

  /* `filter` hides what does not match the form, and returns a line for the status. `forget` resets any other
   * condition when the form is reset. `want` sets the conditions for a clicked link that matches the selector `only`. */
  const begin = ({ filter, forget = () => {}, only, want }) => {
    const apply = () => {
      document.getElementById("filter-status").textContent = filter();
    };

    /* Makes the target of a link visible. */
    const reveal = () => {
      const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target) return;
      if (target.closest("[hidden]")) {
        form.reset();
        apply();
      }
      for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
      const inner = target.matches("tr") && target.querySelector("details");
      if (inner) inner.open = true;
      target.scrollIntoView();
    };

    document.addEventListener("click", (event) => {
      const link = event.target.closest(only);
      if (!link) return;
      form.reset();
      want(link);
      apply();
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
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => {
      forget();
      setTimeout(apply);
    });

    form.hidden = false;
    apply();
    reveal();
  };

  return { form, all, plain, textOf, show, begin };
})();
