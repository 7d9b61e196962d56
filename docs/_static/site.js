// A button on every block of code: of a console it copies the commands, without "$ "; of anything else the whole.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("div.highlight")) {
    const text = block.querySelector("pre").textContent;
    const commands = text.match(/^\$ .*/gm);
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(commands ? commands.map((one) => one.slice(2)).join("\n") : text.trimEnd());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
}

// What scrolls sideways can be reached by keyboard, and the navigation's captions are headings of a level.
for (const box of document.querySelectorAll(".table-wrapper, pre")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
for (const caption of document.querySelectorAll("[role=heading]:not([aria-level])")) caption.ariaLevel = "2";
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");

// On a phone the cells of a wide table stand below each other (site.css): each says which column it is of.
for (const table of document.querySelectorAll("table.docutils")) {
  const headings = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
  for (const row of table.tBodies[0]?.rows ?? []) {
    for (const cell of row.cells) cell.dataset.heading = headings[cell.cellIndex];
  }
}
