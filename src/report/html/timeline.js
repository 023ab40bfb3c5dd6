/* timeline.js - when copies and kernels run, by stream; modelled. What is narrower than a pixel is drawn together. */
'use strict';

const UNITS = 1000; /* the width of a row in its own units */

function mergedItems(items, from, to) {
  const out = [], scale = UNITS / (to - from);
  for (const [start, length, name, kind, detail] of items) {
    if (start + length < from || start > to) continue;
    const x0 = Math.max(0, (start - from) * scale), x1 = Math.min(UNITS, (start + length - from) * scale);
    const before = out[out.length - 1];
    if (before && before.kind === kind && x1 - before.x0 < 1.5 && x0 - before.x1 < 0.8) { before.x1 = Math.max(before.x1, x1); before.n++; } else
      out.push({ x0, x1: Math.max(x1, x0 + 0.8), kind, name, detail, length, n: 1 });
  }
  return out;
}

function itemText(item, names) {
  if (item.n > 1) return `${item.n} operations`;
  const bytes = item.kind === 'c' && item.detail > 0 ? `, ${short(item.detail, 'B')}` : '';
  return `${names[item.name]}, ${time(item.length)}${bytes}`;
}

/* The row's names are elements over the picture's units, so that they are not stretched with it. */
function timeRow(row, names, view) {
  const picture = svg('svg', { viewBox: `0 0 ${UNITS} 26`, preserveAspectRatio: 'none' },
    mergedItems(row.items, view.from, view.to).map(item =>
      svg('rect', { class: item.kind, x: item.x0.toFixed(2), width: Math.max(0.6, item.x1 - item.x0 - 0.4).toFixed(2), y: 4, height: 18,
        'data-k': item.kind === 'k' && item.n === 1 && item.detail >= 0 ? item.detail : null }, title(itemText(item, names)))));
  return h('div', { class: 'time-row' }, h('span', { title: row.title }, row.title), picture);
}

function scaleRow(view) {
  const span = view.to - view.from, step = 10 ** Math.floor(Math.log10(span / 4)), by = [1, 2, 5, 10].map(f => f * step).find(s => span / s <= 7);
  const marks = [];
  for (let t = Math.ceil(view.from / by) * by; t <= view.to; t += by) marks.push(t);
  return h('div', { class: 'time-row scale' }, h('span', null, 'modelled*'), h('div', { style: 'position:relative;height:20px' },
    marks.map(t => {
      const at = 100 * (t - view.from) / span;
      return at > 96 ? null : h('span', { class: 'soft', style: `position:absolute;left:${at.toFixed(2)}%;font-size:11px;border-left:1px solid var(--line);padding-left:4px` }, time(t));
    })));
}

function drawOne(t, place) {
  const end = Math.max(1, ...t.rows.flatMap(r => r.items.map(i => i[0] + i[1])));
  const start = Math.min(end, ...t.rows.flatMap(r => r.items.map(i => i[0])));
  const whole = { from: start, to: end + (end - start) * 0.005 }, view = { ...whole };
  const order = [...t.rows].sort((a, b) => a.host - b.host);
  const draw = () => place.replaceChildren(scaleRow(view), ...order.map(row => timeRow(row, t.names, view)));
  const zoom = (factor, at = 0.5) => {
    const middle = view.from + (view.to - view.from) * at, span = Math.min(whole.to - whole.from, Math.max((view.to - view.from) * factor, 50));
    view.from = Math.max(whole.from, Math.min(middle - span * at, whole.to - span));
    view.to = view.from + span;
    draw();
  };
  place.addEventListener('click', e => { if (e.target.dataset && e.target.dataset.k && !place.moved) go(+e.target.dataset.k); });
  place.addEventListener('wheel', e => {
    const picture = e.target.closest('svg');
    if (!e.ctrlKey || !picture) return;
    e.preventDefault();
    const box = picture.getBoundingClientRect();
    zoom(e.deltaY > 0 ? 1.3 : 1 / 1.3, (e.clientX - box.left) / box.width);
  }, { passive: false });
  let drag = null;
  place.addEventListener('pointerdown', e => { const p = e.target.closest('svg'); place.moved = false; drag = p ? { x: e.clientX, width: p.getBoundingClientRect().width } : null; });
  addEventListener('pointermove', e => {
    if (!drag || Math.abs(e.clientX - drag.x) < 3) return;
    place.moved = true;
    const by = (drag.x - e.clientX) / drag.width * (view.to - view.from), span = view.to - view.from;
    drag.x = e.clientX;
    view.from = Math.max(whole.from, Math.min(view.from + by, whole.to - span));
    view.to = view.from + span;
    draw();
  });
  addEventListener('pointerup', () => { drag = null; });
  draw();
  return { zoom, reset: () => { Object.assign(view, whole); draw(); } };
}

function drawTimelines() {
  const list = data.timelines.filter(t => t.rows.length);
  if (!list.length) return data.no_timeline ? section('timeline', 'Timeline', h('p', { class: 'note' }, data.no_timeline)) : null;
  return h('section', { id: 'timeline' }, list.map((t, i) => {
    const place = h('div'), control = drawOne(t, place);
    const button = (text, label, act) => h('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text);
    return h('div', { style: i ? 'margin-top:24px' : null },
      h('div', { class: 'tools' }, h('h2', null, list.length > 1 ? `Timeline of process ${t.process + 1}` : 'Timeline'),
        button('+', 'Nearer', () => control.zoom(0.5)), button('\u2212', 'Farther', () => control.zoom(2)), button('All', 'All of it', () => control.reset())),
      h('div', { class: 'card' }, place, h('p', { class: 'legend' },
        h('span', { class: 'key', style: 'background:var(--accent)' }), 'kernel \u2003', h('span', { class: 'key', style: 'background:var(--copy)' }), 'copy or fill \u2003',
        h('span', { class: 'key', style: 'background:var(--host)' }), 'call of the host \u2003', "What the program computes on the host counts nothing. Drag to move, Ctrl and the wheel to zoom.",
        t.cut ? ' The first 40,000 operations are shown.' : '')));
  }));
}
