(() => {
  const filters = document.querySelector("details.filters"), form = filters.querySelector("form");
  const boxes = [...form.querySelectorAll("input[name=verdict]")];
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  const findings = [...document.querySelectorAll("details.finding")];
  const parts = [...document.querySelectorAll("section.unmet, details.more, details.area, tbody.area")];
  const differing = form.elements.differing;
  const apply = () => {
    const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
    const text = form.elements.text.value.trim().toLowerCase();
    const fits = entry => {
      const told = entry.dataset.verdict.split(" ");
      return told.some(verdict => wanted.has(verdict)) && (!differing?.checked || new Set(told).size > 1) &&
        (entry.textContent + (entry.closest("section.unmet")?.querySelector("h3, code").textContent ?? ""))
          .toLowerCase().includes(text);
    };
    for (const entry of [...rows, ...findings]) entry.hidden = !fits(entry);
    for (const part of parts)
      part.hidden = !part.querySelector("[data-verdict]:not([hidden])");
    for (const title of document.querySelectorAll("main > h2")) {
      let next = title.nextElementSibling, any = false, filtered = false;
      for (; next && next.tagName !== "H2"; next = next.nextElementSibling)
        if (parts.includes(next) || findings.includes(next)) { filtered = true; any ||= !next.hidden; }
      title.hidden = filtered && !any;
    }
    const shown = rows.filter(row => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} requirements shown`;
  };
  const remember = () => {
    const state = new URLSearchParams();
    if (boxes.some(box => !box.checked)) state.set("show", boxes.filter(box => box.checked).map(box => box.value));
    if (form.elements.text.value) state.set("text", form.elements.text.value);
    if (differing?.checked) state.set("differing", "yes");
    history.replaceState(null, "", String(state) ? `#?${state}` : location.pathname + location.search);
  };
  const recall = hash => {
    const state = new URLSearchParams(hash.slice(2)), shown = state.get("show")?.split(",");
    for (const box of boxes) box.checked = !shown || shown.includes(box.value);
    form.elements.text.value = state.get("text") ?? "";
    if (differing) differing.checked = state.has("differing");
    filters.open = true;
    apply();
  };
  const show = hash => {
    if (hash?.startsWith("#?")) return recall(hash);
    const goal = hash && document.getElementById(hash.slice(1));
    if (!goal) return;
    for (let above = goal; above; above = above.parentElement) {
      above.hidden = false;
      if (above.tagName === "DETAILS") above.open = true;
    }
    if (goal.tagName === "DETAILS") goal.querySelector("summary").focus();
    goal.scrollIntoView();
  };
  const every = open => () => { for (const part of document.querySelectorAll("main > details:not(.filters), section details:not(.finding details)")) part.open = open; };
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", event => event.preventDefault());
  form.elements.open?.addEventListener("click", every(true));
  form.elements.fold?.addEventListener("click", every(false));
  addEventListener("beforeprint", every(true));
  addEventListener("hashchange", () => show(location.hash));
  // A link to where the address already points changes no hash.
  addEventListener("click", event => show(event.target.closest("a[href^='#']")?.hash));
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      getSelection().selectAllChildren(code);
      try { await navigator.clipboard.writeText(code.textContent); button.textContent = "Copied"; }
      catch { button.textContent = "Selected"; }
    });
  }
  filters.hidden = false;
  apply(); show(location.hash);
})();
