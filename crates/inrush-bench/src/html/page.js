// Numbers of a mark under the pointer, the finger or the keyboard; tables that sort; light or dark. The page is whole without it.
"use strict";
(() => {
  const tip = document.getElementById("tip");
  let shown = null;

  // The browser's own tooltip is for pages without a script.
  for (const mark of document.querySelectorAll(".mark")) {
    const title = mark.querySelector("title");
    mark.dataset.tip = title.textContent;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  // One stop of the Tab key for a picture; arrows go on from there.
  for (const picture of document.querySelectorAll("svg")) {
    picture.querySelectorAll(".mark").forEach((mark, i) => mark.setAttribute("tabindex", i ? "-1" : "0"));
  }

  function show(mark, x, y) {
    const [name, ...lines] = mark.dataset.tip.split("\n");
    const head = document.createElement("b");
    head.textContent = name;
    tip.replaceChildren(head, lines.join("\n"));
    tip.hidden = false;
    shown = mark;
    const box = tip.getBoundingClientRect();
    const left = x + 14 + box.width > innerWidth - 8 ? x - 14 - box.width : x + 14;
    const top = y + 16 + box.height > innerHeight - 8 ? y - 12 - box.height : y + 16;
    tip.style.left = Math.max(8, Math.min(left, innerWidth - 8 - box.width)) + "px";
    tip.style.top = Math.max(8, top) + "px";
  }
  function hide() {
    tip.hidden = true;
    shown = null;
  }
  const markOf = (event) => event.target instanceof Element ? event.target.closest(".mark") : null;

  document.addEventListener("pointermove", (event) => {
    const mark = markOf(event);
    if (mark) show(mark, event.clientX, event.clientY);
    else if (shown && event.pointerType === "mouse") hide();
  });
  document.addEventListener("pointerdown", (event) => {
    const mark = markOf(event);
    if (mark) show(mark, event.clientX, event.clientY);
    else hide();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (!mark || shown === mark) return;
    const box = mark.getBoundingClientRect();
    show(mark, box.left + box.width / 2, Math.min(box.bottom, innerHeight) - 8);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const mark = markOf(event);
    if (!step || !mark) return;
    const all = [...mark.ownerSVGElement.querySelectorAll(".mark")];
    const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(mark) + step))];
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
    event.preventDefault();
  });

  // "1,234" and "12 %" are numbers; what is none stands last.
  const number = (text) => (/^[-+]?[\d.]/.test(text) ? parseFloat(text.replaceAll(",", "")) : NaN);
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    table.querySelectorAll("thead th").forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === (column ? "descending" : "ascending") ? !column : !!column;
        const sign = down ? -1 : 1;
        const rows = [...body.rows].map((row) => [row, row.cells[column]?.textContent ?? ""]);
        rows.sort(([, a], [, b]) => {
          const [x, y] = [number(a), number(b)];
          if (isNaN(x) && isNaN(y)) return sign * a.localeCompare(b);
          return isNaN(x) ? 1 : isNaN(y) ? -1 : sign * (x - y);
        });
        body.append(...rows.map(([row]) => row));
        table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
      });
    });
  }

  const theme = document.getElementById("theme");
  const root = document.documentElement;
  const key = "inrush-theme";
  // A page that was opened from a file may have no storage.
  const stored = (work) => { try { return work(); } catch { return null; } };
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  const before = stored(() => localStorage.getItem(key));
  if (before === "light" || before === "dark") root.dataset.theme = before;
  theme.hidden = false;
  name();
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored(() => localStorage.setItem(key, root.dataset.theme));
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);

  // For browsers that cannot open details by a style.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
})();
