// The contents: the section in view is marked; a link into a folded part unfolds it.
(() => {
  const nav = document.querySelector("nav");
  const links = new Map();
  for (const link of nav.querySelectorAll(":scope > details > ol a")) {
    links.set(link.getAttribute("href").slice(1), link);
  }
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let current = null;
  const mark = () => {
    const edge = window.innerHeight / 4;
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < edge);
    const link = passed.length ? links.get(passed[passed.length - 1].id) : null;
    if (link === current) return;
    if (current) current.removeAttribute("aria-current");
    current = link;
    if (!link) return;
    link.setAttribute("aria-current", "location");
    const box = link.getBoundingClientRect();
    if (box.top < 0 || box.bottom > nav.clientHeight) {
      nav.scrollTop += box.top - nav.clientHeight / 2;
    }
  };
  let asked = false;
  document.addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; mark(); });
  }, {passive: true});
  mark();

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // a wide page has the contents at its side, a narrow one folded at the top
  const wide = window.matchMedia("(min-width: 1000px)");
  const fold = () => { nav.querySelector("details").open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  nav.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) nav.querySelector("details").open = false;
  });
})();
