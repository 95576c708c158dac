/*
What a page gains with scripts: sorting, filtering, copying, local time, search.

A classic script, since modules do not load from file://. Nothing here changes
what a page says; without it everything can be read. The functions at the top
touch no page, and the tests call them under Node.
*/
(() => {
  "use strict";

  const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

  /*
  Read a decimal of any length without rounding it: its sign, the position of its point
  relative to the first digit that is not 0, and its digits. Null when it is no decimal.
  Groups of thousands, a percent sign and a typographic minus are understood.
  */
  function decimal(text) {
    const plain = text.replace(/[,%\s\u2009\u202f]/g, "").replace("\u2212", "-");
    const parts = DECIMAL.exec(plain);
    if (!parts || !(parts[2] || parts[3])) return null;
    const whole = parts[2];
    const digits = (whole + (parts[3] || "")).replace(/0+$/, "");
    const significant = digits.replace(/^0+/, "");
    if (!significant) return { sign: 0, point: 0, digits: "" };
    const point = whole.length - (digits.length - significant.length) + Number(parts[4] || 0);
    return { sign: parts[1] === "-" ? -1 : 1, point, digits: significant };
  }

  function compareDecimals(a, b) {
    if (a.sign !== b.sign) return a.sign - b.sign;
    if (a.point !== b.point) return a.sign * (a.point - b.point);
    if (a.digits === b.digits) return 0;
    return a.digits < b.digits ? -a.sign : a.sign;
  }

  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function compareTexts(a, b) {
    return words.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
  }

  /*
  Order positions by the values of a column. Equal values keep their order in either
  direction, and what has no value comes last in either.
  */
  function order(values, kind, descending) {
    const read = kind === "number" ? values.map(decimal) : values.map((text) => text || null);
    const compare = kind === "number" ? compareDecimals : compareTexts;
    return values
      .map((_, index) => index)
      .sort((i, j) => {
        if (read[i] === null || read[j] === null) {
          return (read[i] === null) - (read[j] === null) || i - j;
        }
        return (descending ? compare(read[j], read[i]) : compare(read[i], read[j])) || i - j;
      });
  }

  function fold(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function matches(text, query) {
    const folded = fold(text);
    return fold(query).split(/\s+/).every((term) => folded.includes(term));
  }

  /* Find entries [title, path, words] that hold every term, those with it in the title first. */
  function search(index, query, most) {
    const terms = fold(query).split(/\s+/).filter(Boolean);
    if (!terms.length) return { count: 0, found: [] };
    const scored = [];
    index.forEach((entry, position) => {
      const title = fold(entry[0]);
      const body = `${fold(entry[2])} ${fold(entry[1])}`;
      let score = 0;
      for (const term of terms) {
        const at = title.indexOf(term);
        if (at >= 0) score += at === 0 ? (title === term ? 8 : 4) : 3;
        else if (body.includes(term)) score += 1;
        else return;
      }
      scored.push({ score, position, entry });
    });
    scored.sort((a, b) => b.score - a.score || a.position - b.position);
    return { count: scored.length, found: scored.slice(0, most).map((each) => each.entry) };
  }

  if (typeof module !== "undefined" && module.exports) {
    module.exports = { compareDecimals, compareTexts, decimal, matches, order, search };
    return;
  }

  const RESULTS = 50;

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function valueOf(cell) {
    const text = cell.getAttribute("data-sort");
    if (text !== null) return text;
    const copy = cell.cloneNode(true);
    for (const link of copy.querySelectorAll(".permalink")) link.remove();
    return copy.textContent.trim();
  }

  function sorting(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const kind = head.getAttribute("data-kind");
      if (!kind) return;
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      const first = kind === "number" && !head.classList.contains("r");
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const turned = first ? ["descending", "ascending"] : ["ascending", "descending"];
        const next = now === null ? turned[0] : now === turned[0] ? turned[1] : null;
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        const rows = next
          ? order(original.map((row) => valueOf(row.cells[column])), kind, next === "descending").map(
              (index) => original[index],
            )
          : original;
        body.append(...rows);
        table.toggleAttribute("data-sorted", next !== null);
        rearranged(table);
      });
    });
  }

  /* A tie's shared rank would mislead among other rows: the style shows every rank then. */
  function rearranged(table) {
    const moved = table.hasAttribute("data-sorted") || table.hasAttribute("data-filtered");
    table.classList.toggle("rearranged", moved);
  }

  function filtering(table) {
    const place = table.parentElement.previousElementSibling;
    if (!place || !place.matches(".filter")) return;
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.textContent);
    const name = table.caption ? table.caption.textContent : "table";
    const input = make("input", {
      type: "search",
      placeholder: "filter rows",
      "aria-label": `Filter the rows of: ${name}`,
      autocomplete: "off",
      spellcheck: "false",
    });
    const count = make("output", {}, `${rows.length} rows`);
    input.addEventListener("input", () => {
      let left = 0;
      rows.forEach((row, index) => {
        row.hidden = !matches(texts[index], input.value.trim());
        left += row.hidden ? 0 : 1;
      });
      count.textContent = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
      table.toggleAttribute("data-filtered", left !== rows.length);
      rearranged(table);
    });
    place.append(input, count);
  }

  /* A region that does not scroll is no stop of the Tab key. */
  function regions() {
    const watch = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const scrolls =
          target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
        if (scrolls) target.setAttribute("tabindex", "0");
        else target.removeAttribute("tabindex");
      }
    });
    for (const region of document.querySelectorAll(".scroll, pre, .math")) watch.observe(region);
  }

  /* One button for all hashes: it moves to the one that is pointed at or has the focus. */
  function copying() {
    if (!navigator.clipboard) return;
    const button = make("button", { type: "button", class: "copy", "aria-live": "polite" }, "copy");
    const whole = (chip) => chip.querySelector("code").textContent;
    const put = async (chip) => {
      try {
        await navigator.clipboard.writeText(whole(chip));
        button.textContent = "copied";
      } catch {
        button.textContent = "not allowed";
      }
    };
    const come = (event) => {
      const chip = event.target instanceof Element && event.target.closest(".hash");
      if (!chip || chip.contains(button)) return;
      button.textContent = "copy";
      button.setAttribute("aria-label", `Copy ${whole(chip)}`);
      chip.append(button);
    };
    document.addEventListener("pointerover", come);
    document.addEventListener("focusin", come);
    document.addEventListener("click", (event) => {
      const chip = event.target instanceof Element && event.target.closest(".hash");
      if (chip && (event.target === button || !event.target.closest("a"))) put(chip);
    });
    for (const code of document.querySelectorAll(".hash > code")) {
      if (!code.closest("table")) code.tabIndex = 0;
    }
  }

  function localTimes() {
    const format = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
    const tell = (event) => {
      const element = event.target instanceof Element && event.target.closest("time[datetime]");
      if (!element || element.title) return;
      const when = new Date(element.dateTime);
      if (!Number.isNaN(when.getTime())) element.title = `${format.format(when)}, your local time`;
    };
    document.addEventListener("pointerover", tell);
    document.addEventListener("focusin", tell);
  }

  function searching(place) {
    const index = globalThis.tallyproofSearch;
    if (!place || !Array.isArray(index)) return;
    const root = document.documentElement.dataset.root.replace(/index\.html$/, "");
    const input = make("input", { type: "search", id: "search-input", autocomplete: "off", placeholder: "agent, seal, formula, check" });
    const list = make("ol", { class: "results" });
    const count = make("p", { class: "note", role: "status" });
    const show = () => {
      const { count: all, found } = search(index, input.value, RESULTS);
      list.replaceChildren(
        ...found.map(([title, path]) =>
          make("li", {}, make("a", { href: root + path.split("/").map(encodeURIComponent).join("/") }, title), " ", make("small", {}, path)),
        ),
      );
      const more = all > found.length ? `, the first ${found.length} are shown` : "";
      count.textContent = input.value.trim() ? `${all} of ${index.length} pages${more}` : "";
    };
    input.addEventListener("input", show);
    place.replaceChildren(
      make("label", { for: "search-input" }, "Search all pages"), input, count, list,
    );
    input.value = new URLSearchParams(location.search).get("q") || "";
    show();
  }

  /* On paper a link is a number, and its address stands at the end. */
  function footnotes() {
    let made = [];
    addEventListener("beforeprint", () => {
      const known = new Map();
      for (const link of document.querySelectorAll("main :is(p, li, dd) a[href]")) {
        if (link.closest("nav, table") || link.getAttribute("href").startsWith("#")) continue;
        if (!known.has(link.href)) known.set(link.href, known.size + 1);
        const number = make("sup", { class: "footnote" }, String(known.get(link.href)));
        link.after(number);
        made.push(number);
      }
      if (!known.size) return;
      const list = make("ol", { class: "footnotes" }, ...[...known.keys()].map((to) => make("li", {}, to)));
      document.querySelector("main").append(list);
      made.push(list);
    });
    addEventListener("afterprint", () => {
      for (const element of made) element.remove();
      made = [];
    });
  }

  for (const table of document.querySelectorAll(".scroll > table")) {
    if (!table.tHead || !table.tBodies.length || table.classList.contains("steps")) continue;
    sorting(table);
    filtering(table);
  }
  searching(document.getElementById("search"));
  regions();
  copying();
  localTimes();
  footnotes();
})();
