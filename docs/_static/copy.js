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
