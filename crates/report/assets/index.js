"use strict";
(() => {
  const body = document.querySelector("#results tbody");
  const key = (row, column) => {
    const cell = row.children[column];
    return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
  };
  const compare = (one, other) => (typeof one === "number" ? one - other : one.localeCompare(other));
  document.querySelectorAll("[data-column]").forEach((button) => button.addEventListener("click", () => {
    const head = button.closest("th");
    const down = head.getAttribute("aria-sort") === "ascending";
    document.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const column = Number(button.dataset.column);
    const rows = [...body.rows].sort((one, other) => compare(key(one, column), key(other, column)) * (down ? -1 : 1));
    body.append(...rows);
    document.getElementById("sorted").textContent = `Sorted by ${button.textContent}, ${down ? "descending" : "ascending"}.`;
  }));
})();
