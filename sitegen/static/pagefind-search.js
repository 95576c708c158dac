/*
 * Full text on top of the site's own index, where Pagefind has been run and the site is served.
 *
 * Pagefind's files are loaded when somebody searches, and never from file://, where no page may
 * fetch. Its excerpts are HTML; only their text is shown.
 */
(() => {
  "use strict";

  const RESULTS = 10;

  const text = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;

  const item = ({ url, meta, excerpt }) => {
    const link = document.createElement("a");
    link.href = url;
    link.textContent = meta.title;
    const entry = document.createElement("li");
    entry.append(link, " ", text(excerpt));
    return entry;
  };

  const start = () => {
    const input = document.getElementById("search-input");
    if (!input || location.protocol === "file:") return;
    const heading = document.createElement("h2");
    heading.textContent = "In the text of the pages";
    const list = document.createElement("ol");
    list.className = "results";
    const place = document.createElement("div");
    place.hidden = true;
    place.append(heading, list);
    document.getElementById("search").append(place);
    const address = new URL(document.documentElement.dataset.root, location.href);
    let engine;
    let asked = 0;
    const search = async () => {
      const mine = (asked += 1);
      const words = input.value.trim();
      place.hidden = words === "";
      if (words === "") return;
      engine ??= import(new URL("pagefind/pagefind.js", address).href);
      const { results } = await (await engine).search(words);
      const found = await Promise.all(results.slice(0, RESULTS).map((result) => result.data()));
      if (mine === asked) list.replaceChildren(...found.map(item));
    };
    input.addEventListener("input", search);
    search();
  };

  document.addEventListener("DOMContentLoaded", start);
})();
