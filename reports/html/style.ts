/**
 * How the page looks: paper and ink, and one accent for what wants attention. On paper, filters and
 * what only a screen can do are left out.
 */
export const style = `
:root {
  --paper: #fcfbf9; --raised: #ffffff; --ink: #1e1d1a; --muted: #66625b; --rule: #dcd8d0; --faint: #f3f1ec; --bar: #8d887e;
  --accent: #b0301a; --tint: #fbeae5;
  --sans: "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #171614; --raised: #1f1e1b; --ink: #ece8e1; --muted: #a8a298; --rule: #3a3732; --faint: #24221f; --bar: #827c72; --accent: #ff9277; --tint: #3b221b; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 40px 32px 64px; max-width: 1248px; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); font-variant-numeric: tabular-nums; font-variant-ligatures: no-contextual; overflow-wrap: break-word; }
h1, h2, h3, h4, p, dl, dd, ul, ol, pre { margin: 0; }
h1, h2, .brand { font-variant-numeric: normal; }
h1 { font-size: 34px; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em; }
h2 { font-size: 21px; font-weight: 650; letter-spacing: -0.01em; }
h3 { margin: 44px 0 14px; font-size: 16px; font-weight: 650; scroll-margin-top: 16px; }
h4, article .finding h3 { margin: 0; font-size: 15px; font-weight: 600; }
code, pre, .mono, .bytes { font-family: var(--mono); font-size: 0.86em; font-variant-ligatures: none; overflow-wrap: anywhere; }
pre { padding: 10px 12px; background: var(--faint); border-radius: 4px; white-space: pre-wrap; }
.muted, .lead { color: var(--muted); }
.attention { color: var(--accent); }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 12px; padding: 8px 12px; background: var(--raised); color: var(--ink); z-index: 1; }
a { color: inherit; text-underline-offset: 3px; text-decoration-color: var(--bar); }

.brand { margin-bottom: 6px; color: var(--muted); font-weight: 600; }
h1 .mark { margin-right: 0.1em; }
h1.diverges .mark, h1.inconclusive .mark { color: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: 12px 56px; margin-top: 24px; padding-top: 16px; border-top: 1px solid var(--rule); }
.facts dt, .levels dt { color: var(--muted); font-size: 13px; }
.contents { margin-top: 28px; }
.contents ul { display: grid; gap: 6px; padding: 0; list-style: none; }
.contents .mark { color: var(--accent); font-weight: 700; }
.scenario { margin-top: 52px; }
.scenario > nav { display: flex; flex-wrap: wrap; gap: 4px 24px; margin-top: 12px; font-size: 14px; }

.findings { display: grid; gap: 12px; padding: 0; list-style: none; }
.finding { display: grid; gap: 10px; padding: 16px 20px; background: var(--raised); border: 1px solid var(--rule); border-left: 3px solid var(--accent); border-radius: 4px; min-width: 0; }
.finding.open { border-left-style: dashed; }
.finding > * { min-width: 0; }
.finding .mark { color: var(--accent); font-weight: 700; }
.finding ul { padding-left: 20px; }
.pair { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 18px; }
.pair dt { color: var(--muted); }
.pair dd { overflow-wrap: anywhere; }
.vectors { line-height: 1.9; }
.vectors > * { margin-right: 10px; }
.calm { padding: 14px 20px; background: var(--faint); border-radius: 4px; }

button { font: inherit; color: inherit; cursor: pointer; }
button.link { padding: 0; background: none; border: 0; font-family: var(--mono); font-size: 0.86em; text-decoration: underline; text-underline-offset: 3px; text-decoration-color: var(--bar); text-align: left; }
button.link:hover, a:hover { text-decoration-color: currentColor; }
button.more, dialog button { padding: 5px 12px; background: var(--raised); border: 1px solid var(--rule); border-radius: 4px; font-size: 14px; }
button:hover:not(.link, :disabled) { border-color: var(--bar); }
button:disabled { color: var(--muted); cursor: default; }
button[aria-current] { border-color: var(--ink); font-weight: 600; }
button.more { margin-top: 12px; }
kbd { margin-left: 4px; padding: 0 5px; border: 1px solid var(--rule); border-radius: 3px; color: var(--muted); font: 12px var(--sans); }

.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 12px 16px; margin-bottom: 20px; }
.filter label { display: grid; gap: 3px; }
.filter label span { color: var(--muted); font-size: 13px; }
.filter select, .filter input { height: 34px; padding: 0 10px; background: var(--raised); color: var(--ink); border: 1px solid var(--rule); border-radius: 4px; font: inherit; font-size: 14px; min-width: 0; }
.filter input { width: 150px; }
.filter input::placeholder { color: var(--muted); opacity: 1; }
.filter output { padding-bottom: 6px; font-size: 14px; }
.scroll { overflow-x: auto; max-width: 100%; padding: 3px; margin: -3px; }

table { border-collapse: collapse; font-size: 14px; }
th { font-weight: 400; text-align: left; }
thead th { color: var(--muted); font-size: 13px; vertical-align: bottom; }

.matrix { --cell: 34px; border-collapse: separate; border-spacing: 2px; font-size: 13px; }
.matrix.dense { --cell: 20px; font-size: 12px; }
.matrix th, .matrix .corner { padding: 2px 8px 2px 0; color: var(--muted); white-space: nowrap; }
.matrix tbody th { text-align: right; color: var(--ink); }
.matrix thead th { padding: 0 4px 4px; text-align: center; color: var(--ink); }
.matrix.dense thead th span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); }
.matrix td[role] { width: var(--cell); min-width: var(--cell); height: var(--cell); padding: 0; background: var(--faint); border: 1.5px solid transparent; border-radius: 3px; cursor: pointer; }
.matrix td.none { background: none; cursor: default; }
.matrix td.diverges, .sample.diverges { background: var(--tint); border-color: var(--accent); }
.matrix td.inconclusive, .sample.inconclusive { background: none; border: 1.5px dashed var(--accent); }
.matrix td[role]:hover:not(.none) { border-color: var(--ink); }
.matrix td.changed, .sample.changed { position: relative; }
.corner-mark { position: absolute; top: 0; right: 0; border-top: 9px solid var(--ink); border-left: 9px solid transparent; }
.matrix.dense .corner-mark { border-top-width: 6px; border-left-width: 6px; }
.matrix .edge { position: relative; }
.matrix .edge::before, .matrix tr.edge > ::after { content: ""; position: absolute; background: var(--rule); pointer-events: none; }
.matrix tr.edge { position: static; }
.matrix tr.edge::before { content: none; }
.matrix tr.edge > * { position: relative; }
.matrix .edge::before { left: -3px; top: -3px; bottom: -3px; width: 1px; }
.matrix tr.edge > ::after { top: -3px; left: -3px; right: -3px; height: 1px; }
.cell { display: grid; gap: 3px; justify-content: center; justify-items: start; }
.matrix.dense .cell { gap: 2px; }
.bar { width: 16px; height: 4px; border-radius: 1px; background: var(--bar); }
.matrix.dense .bar { width: 11px; height: 3px; }
.bar.stop, .bar.known { width: 4px; }
.bar.nobody { width: 4px; border-radius: 2px; background: none; border: 1px solid var(--bar); }
.bar.may { width: 9px; }
.bar.refuse { background: linear-gradient(90deg, var(--bar) 75%, transparent 75%); border-right: 2px solid var(--bar); }
.bar.mixed { background: linear-gradient(90deg, var(--bar) 60%, transparent 60% 78%, var(--bar) 78%); }
.bar.unknown, .bar.open { background: none; border: 1px dotted var(--muted); }
.bar.broken, .bar.diverged { background: var(--accent); }
.bar.broken { width: 4px; }
.bar.stop.broken, .bar.nobody.broken { width: 16px; }
.matrix.dense .bar.stop:not(.broken), .matrix.dense .bar.nobody:not(.broken), .matrix.dense .bar.broken:not(.stop, .nobody) { width: 4px; }
.matrix.dense .bar.stop.broken, .matrix.dense .bar.nobody.broken { width: 11px; }
.legend { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 16px 0 32px; padding: 0; list-style: none; color: var(--muted); font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 8px; }
.legend .how { flex-basis: 100%; }
.sample { display: grid; align-items: center; width: 28px; height: 28px; background: var(--faint); border: 1.5px solid transparent; border-radius: 3px; }

.list { width: 100%; }
.list th, .list td { padding: 7px 20px 7px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
.list .words { white-space: normal; min-width: 220px; }
.list tr.diverges .verdict, .list tr.inconclusive .verdict { color: var(--accent); font-weight: 600; }
.list tr > :last-child, .numbers tr > :last-child { padding-right: 0; }

.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 32px 64px; align-items: start; }
.columns > * { min-width: 0; overflow-x: auto; }
.numbers { width: 100%; }
.numbers th, .numbers td { padding: 7px 16px 7px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
.numbers td, .numbers thead th:nth-child(n+2) { text-align: right; white-space: nowrap; }
.numbers td.words, .numbers:has(.words) thead th:nth-child(2) { text-align: left; }
.numbers td.words { white-space: normal; }
.numbers .muted { font-size: 13px; }
.numbers + p { margin-top: 10px; font-size: 14px; }

.truth { width: auto; margin-top: 14px; }
h4.changes { margin: 24px 0 8px; }
.truth .sum > * { border-bottom: 0; font-weight: 600; }
.truth-tables { display: grid; gap: 4px; margin-top: 20px; }
.truth-table summary { padding: 6px 4px; cursor: pointer; font-size: 14px; }
.truth-table.diverges summary, .truth-table.inconclusive summary { color: var(--accent); font-weight: 600; }
.truth-table .scroll { padding: 8px 3px 20px; }

.topology { display: block; width: 100%; min-width: 520px; height: auto; font: 13px var(--sans); fill: var(--ink); }
.topology .small { font-size: 11.5px; }
.topology .strong { font-weight: 600; }
.topology .mono { font-family: var(--mono); font-size: 10.5px; }
.topology .muted { fill: var(--muted); }
.topology .end { text-anchor: end; }
.topology .node { fill: var(--raised); stroke: var(--rule); }
.topology .pod { fill: var(--paper); stroke: var(--rule); }
.topology .bridge { fill: var(--faint); stroke: var(--bar); }
.topology .bridge.parts { stroke: var(--accent); stroke-width: 2; fill: var(--tint); }
.topology text.parts { fill: var(--accent); }
.topology .wire { stroke: var(--bar); }
.topology .tunnel { stroke: var(--bar); stroke-width: 5; stroke-dasharray: 2 2; }

dialog { width: min(1120px, 100vw); max-width: none; height: 100vh; height: 100dvh; max-height: none; margin: 0 0 0 auto; padding: 0 36px 40px; background: var(--paper); color: var(--ink); border: 0; border-left: 1px solid var(--rule); overflow-y: auto; }
dialog::backdrop { background: rgb(20 18 15 / 0.45); }
.bar-top { position: sticky; top: 0; display: flex; justify-content: space-between; align-items: start; gap: 16px; margin: 0 -36px; padding: 14px 36px; background: var(--paper); border-bottom: 1px solid var(--rule); }
.bar-top nav { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; }
.bar-top nav button { font-family: var(--mono); font-size: 12.5px; }
.close { white-space: nowrap; }
article { display: grid; gap: 12px; padding-top: 22px; }
article > * { min-width: 0; }
article h2 { font-size: 26px; overflow-wrap: anywhere; }
article h3 { margin: 26px 0 0; }
article > .verdict { margin-bottom: -10px; font-weight: 600; }
article > .verdict.diverges, article > .verdict.inconclusive { color: var(--accent); }
.levels { display: grid; grid-template-columns: 2fr 1fr 1fr 1fr; gap: 16px 28px; margin: 8px 0; padding: 14px 0; border: solid var(--rule); border-width: 1px 0; }
.level strong { display: block; font-weight: 600; }
.level dd .before { display: block; }
.level dd span { font-size: 14px; color: var(--ink); }
.titled { display: flex; align-items: end; justify-content: space-between; gap: 16px; }
.following { margin-top: 8px; padding-left: 20px; font-size: 14px; }
summary { cursor: pointer; }
.path { width: 100%; font-size: 13.5px; }
.path th, .path td { padding: 4px 16px 4px 0; vertical-align: top; }
.path thead th { padding-bottom: 6px; border-bottom: 1px solid var(--ink); }
.path th:nth-last-child(-n+2), .path td.count { text-align: right; white-space: nowrap; }
.path thead th:nth-last-child(-n+2) { width: 84px; }
.path tr > :last-child { padding-right: 8px; }
.path tr > :first-child { padding-left: 8px; white-space: nowrap; }
.path .hop th { padding: 16px 0 4px 8px; border-bottom: 1px solid var(--rule); text-align: left; font-weight: 600; }
.path .time { display: inline-block; min-width: 76px; color: var(--muted); font-weight: 400; }
.path .lookup td:first-child { color: var(--muted); }
.path .frame td { background: var(--faint); }
.path tr > .words { white-space: normal; overflow-wrap: anywhere; }
.effects, .because { display: block; }
.effects { color: var(--muted); }
.because { overflow-wrap: anywhere; }
.because::first-letter { text-transform: uppercase; }
.caption { margin-top: -8px; color: var(--muted); font-size: 13.5px; }
.path .differs .count { color: var(--accent); font-weight: 700; }
.path tr.differs .effects { color: var(--ink); }
.path tr.first-difference td { background: var(--tint); border-top: 1.5px solid var(--accent); border-bottom: 1.5px solid var(--accent); }
.path tr.first-difference .effects, .path tr.first-difference td:first-child { color: var(--ink); }
.first-mark { display: block; color: var(--accent); font-size: 13px; }
footer { margin-top: 56px; padding-top: 16px; border-top: 1px solid var(--rule); font-size: 13px; overflow-wrap: anywhere; }

@media (max-width: 720px) {
  body { padding: 24px 16px 48px; }
  h1 { font-size: 27px; }
  dialog { padding: 0 16px 32px; border-left: 0; }
  .bar-top { margin: 0 -16px; padding: 12px 16px; }
  .levels { grid-template-columns: 1fr 1fr; }
  .facts { gap: 12px 32px; }
  .finding { padding: 14px; }
  .pair { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .pair dd { margin-bottom: 6px; }
}
@media print {
  :root { --paper: #fff; --raised: #fff; --faint: #f4f4f4; }
  @page { margin: 14mm; }
  body { padding: 0; max-width: none; font-size: 10.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .filter, .skip, .scenario > nav, .more, .bar-top, .titled button, .list tr.conforms { display: none; }
  .list:not(.changes, :has(tr.diverges, tr.inconclusive)) { display: none; }
  h3 { margin-top: 24px; break-after: avoid; }
  .finding, .topology, .matrix, .numbers tr, .list tr, .path tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  .truth-table { break-inside: avoid; }
  .matrix { --cell: 26px; }
  .matrix.dense { --cell: 15px; font-size: 8pt; }
  .matrix.dense .bar { height: 2px; width: 8px; }
  .list, .path { font-size: 8.5pt; }
  .list td, .list th { padding-right: 10px; }
  body:has(dialog[open]) > :not(dialog) { display: none; }
  dialog[open] { position: static; display: block; width: auto; height: auto; padding: 0; border: 0; overflow: visible; }
}
`;
