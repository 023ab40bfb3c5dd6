/* table.js - the table of kernels, which is in the page already: sorted by a column, narrowed by a search, chosen by keys. */
'use strict';

const table = byId('kernels');
const rows = () => [...table.tBodies[0].rows];
const shownRows = () => rows().filter(r => !r.hidden);
let chosen = null;

function sortKey(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : +cell.dataset.v;
}

function sortBy(header, column) {
  const text = rows()[0] && typeof sortKey(rows()[0], column) === 'string';
  const down = header.getAttribute('aria-sort') ? header.getAttribute('aria-sort') === 'ascending' : !text;
  const keyed = rows().map(row => [sortKey(row, column), row]);
  keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (down ? -1 : 1));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  table.tBodies[0].append(...keyed.map(pair => pair[1]));
}

function search(words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  let any = false;
  for (const row of rows()) {
    const name = data.kernels[row.dataset.k].name.toLowerCase();
    row.hidden = !parts.every(part => name.includes(part));
    any = any || !row.hidden;
  }
  byId('nothing').hidden = any;
  choose(null);
}

function choose(row) {
  if (chosen) chosen.classList.remove('chosen');
  chosen = row;
  if (!row) return;
  row.classList.add('chosen');
  row.scrollIntoView({ block: 'nearest' });
}

/* The kernel `step` rows further in the table as it is sorted and narrowed; on its own page the same order. */
function move(step) {
  const list = shownRows();
  const at = list.findIndex(r => (open.kernel < 0 ? r === chosen : +r.dataset.k === open.kernel));
  const next = list[at < 0 ? (step > 0 ? 0 : list.length - 1) : at + step];
  if (!next) return;
  if (open.kernel >= 0) go(+next.dataset.k);
  choose(next);
}

function startTable() {
  [...table.tHead.rows[0].cells].forEach((header, column) =>
    header.addEventListener('click', () => sortBy(header, column)));
  table.tBodies[0].addEventListener('click', event => {
    if (!event.target.closest('a')) go(+event.target.closest('tr').dataset.k);
  });
}
