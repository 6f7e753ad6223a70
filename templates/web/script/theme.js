// Dark or light: as the reader's system has it, until the button says otherwise.
(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // a page from disk may have no storage
  const kept = (change) => { try { return change(); } catch { return null; } };
  const chosen = () => kept(() => localStorage.getItem("perfkit-theme"));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  const show = () => {
    const theme = chosen() || root.dataset.chosen || (dark.matches ? "dark" : "light");
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light page" : "Dark page";
  };
  button.addEventListener("click", () => {
    const other = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = other;
    kept(() => localStorage.setItem("perfkit-theme", other));
    show();
  });
  dark.addEventListener("change", show);
  document.querySelector("nav").prepend(button);
  show();
})();
