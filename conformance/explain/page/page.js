"use strict";
/* The page of explain: connections by text. */

(() => {
  const { form, all, plain, textOf, show } = page;
  const stories = all(".story");

  const filter = () => {
    const text = plain(new FormData(form).get("text"));
    const shown = show(stories, (one) => text === "" || textOf(one).includes(text));
    return `${shown} of ${stories.length} connections`;
  };

  page.begin({ filter, only: "a[data-none]", want: () => {} });
})();
