(() => {
  const form = document.querySelector("form.filters");
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  const failures = [...document.querySelectorAll("main > details[data-verdict]")];
  const apply = () => {
    const wanted = new Set([...form.querySelectorAll("input[name=verdict]:checked")].map(box => box.value));
    const text = form.elements.text.value.trim().toLowerCase();
    const fits = entry => wanted.has(entry.dataset.verdict) && entry.textContent.toLowerCase().includes(text);
    for (const entry of [...rows, ...failures]) entry.hidden = !fits(entry);
    for (const section of document.querySelectorAll("section"))
      section.hidden = !section.querySelector("tr[data-verdict]:not([hidden])");
    const shown = rows.filter(row => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} requirements shown`;
  };
  const show = hash => {
    const goal = hash && document.getElementById(hash.slice(1));
    if (!goal) return;
    for (const hidden of [goal, goal.closest("section")]) if (hidden) hidden.hidden = false;
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
