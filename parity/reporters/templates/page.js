"use strict";
// What every page has: dark and light. Without this script the page is readable, and follows the system.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("graphlift-theme"); } catch { return null; } };
  const store = (name) => { try { localStorage.setItem("graphlift-theme", name); } catch { /* no storage here */ } };
  const current = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  const label = () => { button.textContent = current() === "dark" ? "Light" : "Dark"; };
  const toggle = () => { root.dataset.theme = current() === "dark" ? "light" : "dark"; store(root.dataset.theme); label(); };
  root.dataset.js = "";
  if (["dark", "light"].includes(stored())) root.dataset.theme = stored();
  label();
  button.addEventListener("click", toggle);
  dark.addEventListener("change", label);
  const typing = (target) => target instanceof HTMLElement && target.matches("input, select, textarea");
  document.addEventListener("keydown", (event) => {
    if (event.key !== "t" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    event.preventDefault();
    toggle();
  });
})();
