#include "report/html_assets.h"

namespace faultline::report {

const char* const kHtmlStyle = R"(
:root {
  color-scheme: light dark;
  --bg: #fbfaf8; --panel: #ffffff; --ink: #1d2126; --dim: #66707c; --line: #e3e0da;
  --accent: #0b62a8; --heat: #f08c1e; --bad: #c22f2f; --value: #0a6b4f; --mark: #fff3c4;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  --sans: system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #15181c; --panel: #1c2026; --ink: #e4e6e9; --dim: #98a2ae; --line: #2f353d;
    --accent: #7ab8f0; --heat: #e88a24; --bad: #ff7b72; --value: #6cd0a8; --mark: #4a3f14;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 var(--sans); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 3px; }
code { font: 13px/1.5 var(--mono); }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; font-weight: 650; }
h1 code { font-size: 1.2rem; }
h2 { font-size: .8rem; margin: 0 0 .6rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); }
h3 { font: 600 13px/1.4 var(--mono); margin: 0; padding: .45rem .8rem; border-bottom: 1px solid var(--line); }
p { margin: .3rem 0; }
.dim, .note { color: var(--dim); }
.note { font-size: .9rem; padding: .2rem .8rem; }
.bad { color: var(--bad); }
.odd { color: var(--bad); border: 1px solid currentColor; border-radius: 3px; padding: 0 2px; font-size: .8em; }
header { padding: 1.1rem 1.4rem; border-bottom: 1px solid var(--line); background: var(--panel); }
header .what { font-size: 1.05rem; color: var(--bad); overflow-wrap: anywhere; }
header .run { overflow-wrap: anywhere; }
table.diff { border-collapse: collapse; margin-top: .5rem; }
table.diff th { text-align: left; font-weight: 400; color: var(--dim); padding: 0 1rem 0 0; vertical-align: top; }
table.diff code { white-space: pre-wrap; overflow-wrap: anywhere; }
main { display: grid; grid-template-columns: minmax(22rem, 5fr) 7fr; gap: 1.2rem; padding: 1.2rem 1.4rem; align-items: start; }
.left { min-width: 0; }
.right { min-width: 0; position: sticky; top: 1rem; }
.right > div { max-height: calc(100vh - 4rem); overflow: auto; border-radius: 8px; }
.below { grid-column: 1 / -1; min-width: 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; margin-bottom: .6rem; }
details.suspect > summary { list-style: none; cursor: pointer; padding: .65rem .8rem; display: grid;
  grid-template-columns: 1.9rem 1fr; column-gap: .6rem; }
details.suspect > summary::-webkit-details-marker { display: none; }
.rank { grid-row: 1 / span 3; width: 1.8rem; height: 1.8rem; border-radius: 50%; display: grid; place-items: center;
  font-weight: 650; background: color-mix(in srgb, var(--heat) calc(15% + var(--h) * 60%), transparent); }
.suspect .head { color: var(--dim); font-size: .9rem; }
.suspect .line { display: block; overflow-wrap: anywhere; font-weight: 600; }
.suspect .why { font-size: .95rem; overflow-wrap: anywhere; }
.suspect .more { padding: 0 .8rem .8rem 3.3rem; }
.suspect[open] { border-color: var(--accent); }
.more h4 { font-size: .8rem; color: var(--dim); font-weight: 600; margin: .6rem 0 .2rem; }
.more ul { margin: .2rem 0; padding-left: 1.1rem; }
ol.chain { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line); }
ol.chain li { position: relative; padding: .1rem 0 .45rem 1.3rem; overflow-wrap: anywhere; }
ol.chain li:target { background: var(--mark); }
ol.chain .num { position: absolute; left: -.75rem; }
.num, .st { display: inline-grid; place-items: center; min-width: 1.4rem; height: 1.4rem; border-radius: 50%; padding: 0 .2rem;
  font: 600 .75rem/1 var(--sans); background: var(--accent); color: var(--panel); }
.st[hidden] { display: none; }
.st:hover { text-decoration: none; filter: brightness(1.15); }
.chain .dim { font-size: .85rem; }
.val { color: var(--value); font: 12.5px/1.5 var(--mono); }
.file { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; margin-bottom: .8rem; }
.src { overflow-x: auto; padding: .3rem 0; tab-size: 8; }
.ln { display: flex; position: relative; min-width: max-content; padding-right: 1rem; white-space: pre; line-height: 1.5; }
.ln .no { flex: 0 0 4.2ch; text-align: right; color: var(--dim); font: 12px/1.65 var(--mono); padding-right: .6ch;
  user-select: none; position: sticky; left: 0; background: var(--panel); border-left: 4px solid transparent; }
.sts { flex: 0 0 2.6rem; display: flex; justify-content: center; align-items: center; }
.sts .st { min-width: 1.15rem; height: 1.15rem; font-size: .68rem; margin: 0 1px; }
.ln .val { margin-left: 2.5ch; opacity: .95; }
.ln .val::before { content: "\25C2\A0"; color: var(--dim); }
.mk { background: color-mix(in srgb, var(--heat) calc(var(--h) * 38%), transparent); cursor: default; }
.mk .no { border-left-color: color-mix(in srgb, var(--heat) calc(12% + var(--h) * 88%), transparent); color: var(--ink); }
.failed .no { border-left-color: var(--bad); color: var(--bad); font-weight: 700; }
.failed code { text-decoration: underline wavy var(--bad); text-underline-offset: 3px; }
.ln:target { outline: 2px solid var(--accent); outline-offset: -2px; }
.gap { color: var(--dim); font-size: .8rem; padding: .15rem 0 .15rem 5.2rem; border-block: 1px dashed var(--line); margin: .2rem 0; }
.tip { display: none; position: absolute; z-index: 5; left: 7rem; top: 100%; white-space: normal; min-width: 14rem;
  max-width: min(34rem, 70vw); background: var(--panel); border: 1px solid var(--accent); border-radius: 6px;
  box-shadow: 0 4px 18px rgb(0 0 0 / .22); padding: .4rem .7rem; font-size: .9rem; }
.tip ul { margin: .2rem 0; padding-left: 1.1rem; }
.tip code { overflow-wrap: anywhere; }
.mk:hover > .tip, .mk:focus > .tip, .mk:focus-within > .tip { display: block; }
.legend { display: flex; gap: 1rem; flex-wrap: wrap; align-items: center; font-size: .82rem; color: var(--dim); margin-bottom: .5rem; }
.scale { display: inline-block; width: 5rem; height: .7rem; border-radius: 3px; border: 1px solid var(--line); vertical-align: middle;
  background: linear-gradient(90deg, transparent, color-mix(in srgb, var(--heat) 60%, transparent)); }
.tree, .tree ul { list-style: none; margin: 0; padding: 0; }
.tree ul { margin-left: .55rem; padding-left: .9rem; border-left: 1px solid var(--line); }
.node > details > summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere; }
.node .where { font-size: .85rem; margin-left: .4rem; }
.node .n { display: inline-block; min-width: 1.3rem; text-align: center; font-size: .75rem; border-radius: 9px;
  background: var(--line); color: var(--dim); padding: 0 .35rem; }
.node .body { padding: .1rem 0 .5rem 1.1rem; font-size: .93rem; }
.node table { border-collapse: collapse; margin: .3rem 0; }
.node caption { text-align: left; color: var(--dim); font-size: .82rem; }
.node td { padding: .05rem 1.2rem .05rem 0; vertical-align: top; overflow-wrap: anywhere; }
.node td:last-child code { color: var(--value); }
.node.pruned { display: none; }
button { font: inherit; font-size: .82rem; color: var(--accent); background: transparent; border: 1px solid var(--line);
  border-radius: 5px; padding: .05rem .5rem; cursor: pointer; }
button:hover { border-color: var(--accent); }
.node > details > .prune { margin: 0 0 .3rem 1.1rem; }
.bar { display: flex; gap: .5rem; flex-wrap: wrap; margin-bottom: .6rem; align-items: center; }
.bar[hidden] { display: none; }
.pad { padding: .8rem; }
.rest { margin-bottom: 1rem; }
.rest > summary { cursor: pointer; margin-bottom: .4rem; }
footer { padding: .8rem 1.4rem 2rem; color: var(--dim); font-size: .85rem; }
kbd { font: 12px var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 .3rem; }
@media (max-width: 60rem) {
  main { grid-template-columns: 1fr; padding: .8rem; gap: .8rem; }
  .right { position: static; }
  .right > div { max-height: none; }
  header { padding: .9rem; }
  .suspect .more { padding-left: 1.4rem; }
  .node td { display: block; padding-right: 0; }
  .node tr { display: block; margin-bottom: .4rem; }
  .tip { left: 1rem; }
}
@media print {
  :root { color-scheme: light; --bg: #fff; --panel: #fff; --ink: #000; --dim: #444; --line: #bbb; --accent: #00417a; --bad: #a00000; --value: #064; }
  body { font-size: 10pt; }
  main { display: block; padding: 0; }
  .right, .right > div { position: static; max-height: none; overflow: visible; }
  .ln { min-width: 0; white-space: pre-wrap; break-inside: avoid; }
  .ln code { min-width: 0; overflow-wrap: anywhere; }
  .card, ol.chain li { break-inside: avoid; }
  .tip, button, .bar, footer .keys { display: none !important; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)";

const char* const kHtmlScript = R"("use strict";
const all = (what, root = document) => [...root.querySelectorAll(what)];
const one = what => document.querySelector(what);

// The steps beside the source are those of the suspect that is open.
const suspects = all("details.suspect");
const showSteps = number => all(".st").forEach(s => { s.hidden = s.dataset.s !== number; });
suspects.forEach(d => d.addEventListener("toggle", () => { if (d.open) showSteps(d.dataset.s); }));

// The source begins at the first suspect.
const pane = one(".right > div"), first = one(".ln.suspect");
if (pane && first) {
  const suspect = one("#s1 summary a.at[href]");
  const line = (suspect && document.getElementById(suspect.getAttribute("href").slice(1))) || first;
  pane.scrollTop += line.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
}

// A link to what is folded unfolds it.
const unfold = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  target.scrollIntoView({block: "nearest"});
  if (target.tabIndex >= 0) target.focus({preventScroll: true});
};
addEventListener("hashchange", unfold);
unfold();

// What is said to be right goes, with all that only leads there.
const bar = one("#pruned");
const refresh = () => {
  const gone = all(".node.pruned");
  bar.hidden = gone.length === 0;
  const list = one("#prunedlist");
  list.textContent = "";
  gone.forEach(node => {
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = node.dataset.at + " \u00d7";
    back.title = "bring it back";
    back.addEventListener("click", () => { node.classList.remove("pruned"); refresh(); });
    list.append(back);
  });
  const places = [...new Set(gone.map(node => node.dataset.at))];
  one("#prunedcommand").textContent = places.map(p => "--correct " + p).join(" ");
};
all(".prune").forEach(button => {
  button.hidden = false;
  button.addEventListener("click", () => {
    const node = button.closest(".node");
    node.dataset.at = button.dataset.at;
    node.classList.add("pruned");
    refresh();
  });
});
const fold = open => all(".tree details").forEach(d => { d.open = open; });
all("[data-fold]").forEach(b => {
  b.parentElement.hidden = false;
  b.addEventListener("click", () => fold(b.dataset.fold === "open"));
});

// j and k walk along the chain, 1 to 9 open a suspect.
const walk = by => {
  const open = suspects.find(d => d.open) || suspects[0];
  const links = open ? all("ol.chain a.at[href]", open) : [];
  if (!links.length) return;
  const now = links.findIndex(a => a.getAttribute("href") === location.hash && a.dataset.now);
  const next = links[Math.max(0, Math.min(links.length - 1, now < 0 ? (by > 0 ? 0 : links.length - 1) : now + by))];
  links.forEach(a => { delete a.dataset.now; });
  next.dataset.now = "1";
  location.hash = next.getAttribute("href");
};
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "j") walk(1);
  else if (event.key === "k") walk(-1);
  else if (/^[1-9]$/.test(event.key)) {
    const d = suspects[event.key - 1];
    if (d) { d.open = true; d.querySelector("summary").focus(); }
  } else if (event.key === "Escape" && document.activeElement) document.activeElement.blur();
});

)";

const char* const kHtmlScriptHash = "ToseJ5XNM2xycv83nWgRp+Dbb6c/LvJBBE78hWtD+5U=";

} // namespace faultline::report
