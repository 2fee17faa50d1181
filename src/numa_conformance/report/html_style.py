"""Style and behaviour of the report page."""

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#c9ced6;--soft:#f3f5f8;--good:#1b6e28;--bad:#b3261e;
--mid:#7a4f00;--link:#0b57d0;--numa-ink:var(--ink)}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#14171b;--line:#3d444d;--soft:#1e2329;--good:#7fd08c;
--bad:#ff9d94;--mid:#f0c065;--link:#a8c7fa}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;padding:1rem;
max-width:75rem;overflow-wrap:break-word}
a{color:var(--link);overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
code,pre{font-family:ui-monospace,monospace;font-size:.875rem}code{overflow-wrap:anywhere}
pre{background:var(--soft);padding:.75rem;overflow-x:auto}
.verdict{font-weight:700;white-space:nowrap}header .verdict{font-size:1.5rem;margin:.25rem 0}
.verdict.conformant,.verdict.passed{color:var(--good)}
.verdict.not-conformant,.verdict.failed,.verdict.crashed,.verdict.bad-reply,.verdict.timed-out,
.verdict.error,.problem{color:var(--bad)}
.verdict.partial,.verdict.expected-failure,.verdict.unexpectedly-passed{color:var(--mid)}
.filters{margin-top:1.5rem}
.filters fieldset{margin:0;display:flex;flex-wrap:wrap;gap:.5rem 1rem;
border:1px solid var(--line);border-radius:.5rem}
.filters label{min-height:2rem;display:inline-flex;align-items:center;gap:.35rem}
.filters input[type=search]{font:inherit;width:100%;max-width:14rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.5rem;
border-bottom:1px solid var(--line)}
.requirements{table-layout:fixed}.requirements th:nth-child(1){width:50%}.requirements th:nth-child(2){width:10rem}
.numbers{width:auto}.numbers td,.numbers thead th+th{text-align:right}
.numbers th,.numbers td{padding:.25rem .75rem .25rem 0}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.5rem .75rem}
summary{cursor:pointer;overflow-wrap:anywhere;min-height:1.75rem}
.pair{display:flex;flex-wrap:wrap;gap:0 2rem}ul{padding-left:1.25rem}.names{columns:20rem}
:target{background:var(--soft)}
svg{display:block}figure{margin:.5rem 0;max-width:100%}figcaption{font-weight:700}
[hidden]{display:none!important}
@media (max-width:40rem){.requirements,.requirements tbody,.requirements tr,.requirements td{display:block}
.requirements thead{position:absolute;left:-999rem}.requirements td{border:0;
padding:.15rem 0}.requirements tr{border-bottom:1px solid var(--line);padding:.5rem 0}}
""".strip()

SCRIPT = """
(() => {
  const form = document.querySelector("form.filters");
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  const found = [...document.querySelectorAll("main > details[data-verdict]")];
  const apply = () => {
    const wanted = new Set([...form.querySelectorAll("input[name=verdict]:checked")].map(box => box.value));
    const text = form.elements.text.value.trim().toLowerCase();
    const fits = one => wanted.has(one.dataset.verdict) && one.textContent.toLowerCase().includes(text);
    for (const one of [...rows, ...found]) one.hidden = !fits(one);
    for (const section of document.querySelectorAll("section"))
      section.hidden = !section.querySelector("tr[data-verdict]:not([hidden])");
    const shown = rows.filter(row => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} requirements shown`;
  };
  const show = hash => {
    const goal = hash && document.getElementById(hash.slice(1));
    if (!goal) return;
    for (const one of [goal, goal.closest("section")]) if (one) one.hidden = false;
    if (goal.tagName === "DETAILS") { goal.open = true; goal.querySelector("summary").focus(); }
    goal.scrollIntoView();
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  addEventListener("hashchange", () => show(location.hash));
  // A link to where the address already points changes no hash.
  addEventListener("click", event => show(event.target.closest("a[href^='#']")?.hash));
  apply(); show(location.hash);
})();
""".strip()
