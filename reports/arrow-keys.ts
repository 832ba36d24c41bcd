/** The script of a page: Tab reaches each `table.grid` once, arrow keys move from link to link. */
export const arrowKeys = `for (const table of document.querySelectorAll('table.grid')) {
  const links = [...table.querySelectorAll('td a')];
  const reach = (link) => {
    for (const one of links) one.tabIndex = one === link ? 0 : -1;
  };
  reach(links[0]);
  const next = (cell, key, far) => {
    const { cellIndex, parentElement: row } = cell;
    const body = [...row.parentElement.rows];
    const at = body.indexOf(row);
    const lines = { ArrowUp: body.slice(0, at).reverse(), ArrowDown: body.slice(at + 1) };
    const cells = {
      ArrowLeft: [...row.cells].slice(1, cellIndex).reverse(),
      ArrowRight: [...row.cells].slice(cellIndex + 1),
      Home: far ? body.flatMap((one) => [...one.cells]) : [...row.cells],
      End: (far ? body.flatMap((one) => [...one.cells]) : [...row.cells]).reverse(),
      ArrowUp: lines.ArrowUp.map((one) => one.cells[cellIndex]),
      ArrowDown: lines.ArrowDown.map((one) => one.cells[cellIndex]),
    }[key];
    return cells?.map((one) => one.querySelector('a')).find((link) => link !== null);
  };
  table.addEventListener('focusin', ({ target }) => reach(target));
  table.addEventListener('keydown', (event) => {
    const cell = event.target.closest('td');
    const link = cell === null ? undefined : next(cell, event.key, event.ctrlKey);
    if (link === undefined) return;
    event.preventDefault();
    link.focus();
  });
}`;
