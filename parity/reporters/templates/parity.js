// The filter, the keys, and what is chosen in the graphs. Everything is in the document; nothing is fetched or stored.
(() => {
  const form = document.querySelector(".filter");
  if (!form) return;
  const fields = { text: form.elements.text, rule: form.elements.rule, case: form.elements.case };
  const shown = document.getElementById("shown");
  const rows = [...document.querySelectorAll(".row")];
  const cases = [...document.querySelectorAll(".filtered .case")];
  const sections = [...document.querySelectorAll(".filtered")];
  const texts = new Map(rows.map((row) => [row, `${row.closest(".case").dataset.case} ${row.textContent}`.toLowerCase()]));
  const summary = (row) => row.querySelector("summary");
  const isVisible = (row) => !row.hidden;

  const pattern = (text) => {
    if (!/[*?]/.test(text)) return (name) => name.toLowerCase().includes(text);
    const source = text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
    const expression = new RegExp(`^${source}$`, "iu");
    return (name) => expression.test(name);
  };
  const byRule = (value) => {
    const [kind, ...rest] = value.split(":");
    const name = rest.join(":");
    if (!name) return () => true;
    return (row) => (kind === "rule" ? row.dataset.rules : row.dataset.families).split("\n").includes(name);
  };

  const apply = () => {
    const words = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const named = pattern(fields.case.value.trim().toLowerCase());
    const ruled = byRule(fields.rule.value);
    for (const row of rows) {
      row.hidden = !(words.every((word) => texts.get(row).includes(word))
        && named(row.closest(".case").dataset.case) && ruled(row));
    }
    for (const one of cases) one.hidden = ![...one.querySelectorAll(".row")].some(isVisible);
    for (const section of sections) section.hidden = ![...section.querySelectorAll(".case")].some((one) => !one.hidden);
    shown.textContent = `${rows.filter(isVisible).length} of ${rows.length}`;
  };
  const remember = () => {
    const set = Object.entries(fields).filter(([, field]) => field.value).map(([name, field]) => [name, field.value]);
    const hash = new URLSearchParams(set).toString();
    try { history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search); } catch { /* not here */ }
  };
  const recall = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [name, field] of Object.entries(fields)) field.value = given.get(name) ?? "";
    if (fields.rule.selectedIndex < 0) fields.rule.value = "";
    apply();
  };
  const changed = () => { apply(); remember(); };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { setTimeout(changed); });
  window.addEventListener("hashchange", recall);

  const options = new Set([...fields.rule.options].map((option) => option.value));
  for (const item of document.querySelectorAll(".family-verdict")) {
    const value = `family:${item.dataset.family}`;
    if (!options.has(value)) continue;
    item.dataset.filters = "";
    item.title = `Show only ${item.dataset.family}`;
    item.addEventListener("click", () => { fields.rule.value = fields.rule.value === value ? "" : value; changed(); });
  }

  // A divergence that is opened shows its case's graphs, with its node marked in both and in the list of activations.
  const choose = (row) => {
    const one = row.closest(".case");
    const exhibit = one.querySelector(".exhibit");
    if (!exhibit) return;
    exhibit.open = true;
    for (const item of exhibit.querySelectorAll("[data-node]")) {
      item.classList.toggle("chosen", row.dataset.node !== "" && item.dataset.node === row.dataset.node);
    }
  };
  for (const row of rows) {
    summary(row).addEventListener("click", () => { if (!row.open) choose(row); });
    summary(row).setAttribute("aria-keyshortcuts", "j k Enter");
  }

  const move = (by) => {
    const visible = rows.filter(isVisible);
    if (!visible.length) return;
    const at = visible.findIndex((row) => row.contains(document.activeElement));
    const next = at < 0 ? (by > 0 ? 0 : visible.length - 1) : Math.min(visible.length - 1, Math.max(0, at + by));
    summary(visible[next]).focus();
    summary(visible[next]).scrollIntoView({ block: "nearest" });
  };
  const typing = (target) => target instanceof HTMLElement && target.matches("input, select, textarea");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onRow = event.target instanceof HTMLElement && event.target.matches(".row > summary");
    if (event.key === "Escape" && typing(event.target)) {
      event.target.value = "";
      changed();
      event.target.blur();
    } else if (typing(event.target)) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      fields.text.focus();
      fields.text.select();
    } else if (event.key === "j" || (event.key === "ArrowDown" && onRow)) {
      event.preventDefault();
      move(1);
    } else if (event.key === "k" || (event.key === "ArrowUp" && onRow)) {
      event.preventDefault();
      move(-1);
    }
  });
  recall();
})();
