"use strict";
// Switches between drawings, sorts tables, and shows what is pointed at.
const tip = document.getElementById("tip");
let tips = null;

function showSwitches() {
  for (const button of document.querySelectorAll("[data-set]")) {
    const [name, value] = button.dataset.set.split("=");
    button.setAttribute("aria-pressed", document.body.dataset[name] === value);
  }
}

function sortBy(head) {
  const index = [...head.parentNode.children].indexOf(head);
  const body = head.closest("table").tBodies[0];
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => {
    const cell = row.children[index];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent;
    const number = Number.parseFloat(text.replace(/\u202f|^[^\d-]+/g, ""));
    return cell.classList.contains("name") || Number.isNaN(number) ? text : number;
  };
  const before = (a, b) => (typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? 1 : -1);
  const order = (a, b) => (a === "") - (b === "") || (down ? -1 : 1) * before(a, b);  // nothing comes last
  body.append(...[...body.rows].sort((a, b) => order(key(a), key(b))));
}

function textOf(target) {
  const place = target.closest("[data-tip]");
  if (place) {
    tips ??= JSON.parse(document.getElementById("tips").textContent);
    return tips[Number(place.dataset.tip)];
  }
  const cell = target.closest("table.matrix[data-unit] td");
  if (!cell || !cell.textContent) return "";
  const row = cell.parentNode.rowIndex - 1;
  return `from ${row} to ${cell.cellIndex - 1}: ${cell.textContent} ${cell.closest("table").dataset.unit}`;
}

function point(event) {
  const text = event.target.closest ? textOf(event.target) : "";
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6))}px`;
  const below = event.clientY + 18;
  tip.style.top = `${below + height < innerHeight ? below : Math.max(4, event.clientY - height - 12)}px`;
}

document.addEventListener("click", (event) => {
  const choice = event.target.closest("[data-set]");
  if (choice) {
    const [name, value] = choice.dataset.set.split("=");
    document.body.dataset[name] = value;
    showSwitches();
  }
  const head = event.target.closest("table.sortable thead tr:last-child th");
  if (head) sortBy(head);
});
document.addEventListener("pointermove", point);
document.addEventListener("pointerdown", point);
document.addEventListener("scroll", () => { tip.hidden = true; }, true);
showSwitches();
