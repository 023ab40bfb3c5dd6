/* source.js - the source with the heat of a metric by line, and PTX and SASS beside it; a click on a line of one shows it in the other,
 * as does Enter, to which the arrow keys go. */
'use strict';

const WORDS = new RegExp('(\\/\\/.*$|\\/\\*)|("(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\')|\\b(alignas|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|false|float|for|half|if|inline|int|int32_t|int64_t|long|namespace|operator|restrict|return|short|signed|size_t|sizeof|static|struct|switch|template|true|typedef|typename|uint32_t|uint64_t|uint8_t|union|unsigned|using|void|volatile|while|__global__|__device__|__host__|__shared__|__constant__|__restrict__|__forceinline__|__launch_bounds__|__syncthreads|__syncwarp)\\b', 'g');

/* `inside`: {comment}, whether the line begins in a comment of several lines; is set for the next one. */
function coloured(text, inside) {
  const parts = [];
  let at = 0;
  const close = inside.comment ? text.indexOf('*/') + 2 : 0;
  if (inside.comment && close < 2) return [h('span', { class: 'tc' }, text)];
  if (close) parts.push(h('span', { class: 'tc' }, text.slice(0, close)));
  inside.comment = false;
  at = close;
  for (const m of text.matchAll(WORDS)) {
    if (m.index < at) continue;
    if (m[0] === '/*') {
      parts.push(text.slice(at, m.index));
      const end = text.indexOf('*/', m.index + 2);
      inside.comment = end < 0;
      at = end < 0 ? text.length : end + 2;
      parts.push(h('span', { class: 'tc' }, text.slice(m.index, at)));
      continue;
    }
    if (m.index > at) parts.push(text.slice(at, m.index));
    parts.push(h('span', { class: m[1] ? 'tc' : m[2] ? 'ts' : 'tk' }, m[0]));
    at = m.index + m[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

/* ---- values ---- */

const sourceView = { metric: 0, code: 'both' };

function lineValue(values, metric) { return values[metric] || 0; }

function metricsOf(kernel) {
  const rows = kernel.lines.ptx.flatMap(f => f[1]);
  return data.columns.map((column, i) => ({ i, name: column[0], text: column[1], kind: kernel.lines.kinds[i],
    all: rows.reduce((sum, row) => sum + lineValue(row.slice(5), i), 0) })).filter(m => m.all > 0);
}

/* The cell of a line: its number, and its heat by its part of all. */
function heatOf(value, most, all, metric, kind) {
  if (!value) return h('span', { class: 'v' });
  const text = metric === 0 ? percent(100 * value / all) : short(value, '');
  return h('span', { class: 'v', style: `background:rgba(var(--heat),${(0.05 + 0.6 * value / most).toFixed(3)})` }, ...marked(text, kind));
}

/* ---- rows ---- */

function codeRow(number, heat, text, more, file, line) {
  return h('div', { class: 'r', 'data-line': line ? `${file}:${line}` : null },
    h('span', { class: 'n' }, number), heat, h('span', { class: 't' }, text), more ? h('span', { class: 'w' }, more) : null);
}

function sourcePane(kernel, file, lines, m, most) {
  const about = data.files[file], byLine = new Map(lines.map(row => [row[0], row])), out = [];
  const row = (n, text) => {
    const values = byLine.get(n);
    const value = values ? lineValue(values.slice(2), m.i) : 0;
    byLine.delete(n);
    out.push(codeRow(n, heatOf(value, most, m.all, m.i, m.kind), text === null ? '' : coloured(text, inside),
      values && values[1] && lineValue(values.slice(2), 0) ? values[1].replaceAll('_', ' ') : '', file, values ? n : 0));
  };
  const wanted = [...byLine.keys()], inside = { comment: false };
  for (const [from, ...texts] of about.parts) {
    if (!wanted.some(n => n >= from && n < from + texts.length)) continue;
    if (out.length) out.push(h('div', { class: 'gap' }, '\u22ee'));
    inside.comment = false;
    const near = i => wanted.some(n => Math.abs(n - from - i) <= 12);
    let skipped = false;
    texts.forEach((text, i) => {
      if (near(i)) {
        if (skipped) out.push(h('div', { class: 'gap' }, '\u22ee'));
        row(from + i, text);
        skipped = false;
      } else skipped = out.length > 0;
    });
  }
  for (const n of [...byLine.keys()]) row(n, null);
  return h('div', { class: 'pane' }, h('h3', { title: about.name }, '\u200e' + about.name + (about.found ? '' : ' (the file was not found: --source-folders names folders)')),
    h('div', { class: 'code' }, out));
}

/* The PTX, each instruction with the machine code below it; what is of no PTX that was executed comes last. */
function ptxRows(kernel, m, most, machine) {
  const taken = new Set(), below = at => {
    if (!machine || taken.has(at)) return null;
    taken.add(at);
    return (machine.byPtx.get(at) || []).map(machine.draw);
  };
  const out = kernel.lines.ptx.map(([name, list]) => [
    kernel.lines.ptx.length > 1 ? h('div', { class: 'gap' }, name) : null,
    list.map(([at, , file, line, text, ...values]) => [
      codeRow(at, heatOf(lineValue(values, m.i), most, m.all, m.i, m.kind), text, '', file, line), below(at)])]);
  const left = machine ? machine.rows.filter(r => !taken.has(r.ptx)) : [];
  return left.length ? [out, h('div', { class: 'gap' }, 'SASS of no PTX that was executed'), left.map(machine.draw)] : out;
}

const CODES = { both: 'PTX and SASS', ptx: 'PTX', sass: 'SASS by address' };
const HEADINGS = { both: 'PTX that was executed, and its SASS', ptx: 'PTX, the instructions that were executed', sass: 'SASS by address' };

function codePane(kernel, m, most) {
  const code = kernel.machine ? sourceView.code : 'ptx', machine = code === 'ptx' ? null : machineCode(kernel, m);
  return h('div', { class: 'pane ptx' }, h('h3', null, `\u200e${HEADINGS[code]}`),
    h('div', { class: 'code' }, code === 'sass' ? machine.rows.map(machine.draw) : ptxRows(kernel, m, most, machine)));
}

function highest(list, skip, metric) { return Math.max(1e-9, ...list.map(row => lineValue(row.slice(skip), metric))); }

function fillPanes(panes, kernel, m) {
  const source = kernel.lines.source, most = highest(source.flatMap(f => f[1]), 2, m.i);
  const heavy = ([, list]) => list.reduce((sum, row) => sum + lineValue(row.slice(2), m.i), 0);
  const files = [...source].sort((a, b) => heavy(b) - heavy(a));
  panes.className = files.length ? 'panes' : 'panes one';
  panes.replaceChildren(...(files.length ? [h('div', null, files.map(([file, lines]) => sourcePane(kernel, file, lines, m, most)))] : []),
    codePane(kernel, m, highest(kernel.lines.ptx.flatMap(f => f[1]), 5, m.i)));
}

/* ---- from one to the other ---- */

function light(panes, key, from) {
  panes.querySelectorAll('.lit').forEach(r => r.classList.remove('lit'));
  const found = [...panes.querySelectorAll('.r[data-line]')].filter(r => r.dataset.line === key);
  found.forEach(r => r.classList.add('lit'));
  for (const pane of panes.querySelectorAll('.pane')) {
    const first = found.find(r => pane.contains(r));
    if (first && !pane.contains(from)) pane.scrollTop += first.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
  }
}

/* The line next to the one that has the focus, or the first. */
function step(row, by) {
  const list = [...row.closest('.pane').querySelectorAll('.r[data-line]')], next = list[list.indexOf(row) + by];
  if (next) take(next);
}

/* One line of a pane is in the order of the Tab key: the one that had the focus last. */
function take(row) {
  row.closest('.pane').querySelectorAll('.r[tabindex]').forEach(r => r.removeAttribute('tabindex'));
  row.tabIndex = 0;
  row.focus();
}

function pressedInPane(panes, event) {
  const row = event.target.closest('.r[data-line]'), by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!row || event.ctrlKey || event.metaKey || event.altKey || !(by || event.key === 'Enter' || event.key === ' ')) return;
  event.preventDefault();
  event.stopPropagation();
  if (by) step(row, by);
  else light(panes, row.dataset.line, row);
}

/* The first lines that were executed, or the hottest where it would not be seen otherwise. */
function settle(page) {
  for (const pane of page.querySelectorAll('.pane')) {
    const list = [...pane.querySelectorAll('.r')], top = row => row.offsetTop - pane.offsetTop - 34;
    const first = list.find(r => r.dataset.line), heat = r => +(/[\d.]+(?=\)$)/.exec(r.children[1].style.background) || [0])[0];
    if (!first) continue;
    first.tabIndex = 0;
    const hottest = list.reduce((a, b) => (heat(b) > heat(a) ? b : a), first), start = Math.max(0, top(first) - 40);
    pane.scrollTop = top(hottest) < start + pane.clientHeight - 80 ? start : top(hottest) - pane.clientHeight / 2;
  }
}

/* Of an advice: the line that it is about. */
function lightLine(advice) {
  const panes = document.querySelector('.panes'), file = data.files.findIndex(f => f.name === advice.file);
  if (panes && file >= 0) light(panes, `${file}:${advice.line}`, null);
}

function drawSource(kernel) {
  const list = metricsOf(kernel), panes = h('div', { class: 'panes' });
  if (!list.length) return section('source', 'Source', h('div', { class: 'card note' }, 'No instruction was counted by line.'));
  const before = list.find(m => m.name === sourceView.metric) || list[0];
  const select = h('select', { id: 'metric' }, list.map(m => h('option', { value: m.i, selected: m === before }, `${m.name}${MARKS[m.kind]}`)));
  const about = h('span', { class: 'note' });
  const code = !kernel.machine ? null : h('select', { id: 'code' }, Object.entries(CODES).map(([value, name]) => h('option', { value, selected: value === sourceView.code }, name)));
  const choose = () => {
    const m = list.find(x => x.i === +select.value);
    sourceView.metric = m.name;
    about.textContent = `${m.text}; ${KINDS[m.kind]}`;
    fillPanes(panes, kernel, m);
  };
  select.addEventListener('change', () => { choose(); settle(panes); });
  if (code) code.addEventListener('change', () => { sourceView.code = code.value; choose(); settle(panes); });
  panes.addEventListener('keydown', event => pressedInPane(panes, event));
  panes.addEventListener('click', event => {
    const row = event.target.closest('.r[data-line]');
    if (row && !String(getSelection())) light(panes, row.dataset.line, row);
  });
  choose();
  return h('section', { id: 'source' }, h('div', { class: 'tools' }, h('h2', null, 'Source'), h('label', { for: 'metric' }, 'Heat by'), select, code ? [h('label', { for: 'code' }, 'beside'), code] : null, about), panes,
    kernel.lines.source.length ? null : h('p', { class: 'legend' }, 'There are no source lines: compile with -lineinfo.'),
    machineNote(kernel) ? h('p', { class: 'legend' }, machineNote(kernel)) : null);
}
