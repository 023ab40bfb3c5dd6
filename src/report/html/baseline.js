/* baseline.js - the comparison with an older report: by kernel the times, their ratio with its interval, and what moved. */
'use strict';

function verdict(k) {
  if (!known(k.ratio)) return ['not known', ''];
  if (k.ratio === 1) return ['same', ''];
  if (known(k.low) && k.high < 1) return ['faster', 'better'];
  if (known(k.low) && k.low > 1) return ['slower', 'worse'];
  return ['open', ''];
}

/* Large numbers short: how much, not which. */
function movedValue(v, unit) { return Math.abs(v) >= 1e5 && !/byte/.test(unit) ? short(v, '') : metric(v, unit); }

function movedList(k) {
  return h('ul', null, k.moved.slice(0, 5).map(m => h('li', { title: `${m.metric}: ${number(m.old)} \u2192 ${number(m.new)}` },
    h('span', { class: 'soft' }, m.label.replaceAll('_', ' ')), ' ', movedValue(m.old, m.unit), ' \u2192 ', movedValue(m.new, m.unit))));
}

/* The kernel's page, where it has one; launches of several shapes are compared together. */
function kernelLink(name) {
  const at = data.kernels.findIndex(k => k.name === name);
  return at < 0 ? h('b', null, name) : h('a', { href: `#k${at}`, title: name }, h('b', null, data.kernels[at].function));
}

function comparisonRow(k) {
  const [word, style] = verdict(k);
  return h('tr', null, h('td', { class: 'name' }, kernelLink(k.kernel), k.launches > 1 ? h('span', { class: 'soft' }, ` ${k.launches} launches`) : null),
    h('td', null, ...marked(time(k.old.time_ns), 'm')), h('td', null, ...marked(time(k.new.time_ns), 'm')),
    h('td', { class: style }, known(k.ratio) ? number(Math.round(k.ratio * 1000) / 1000) : NONE, h('div', { class: 'soft' }, known(k.low) && k.ratio !== 1 ? `${number(Math.round(k.low * 100) / 100)} to ${number(Math.round(k.high * 100) / 100)}` : '')),
    h('td', { class: 'text ' + style }, word), h('td', { class: 'text' }, movedList(k)));
}

function comparisonTable(list) {
  return h('div', { class: 'card wide' }, h('table', { class: 'compare' }, h('thead', null, h('tr', null,
    h('th', { class: 'name' }, 'Kernel'), h('th', null, 'Before'), h('th', null, 'Now'), h('th', null, 'Ratio'), h('th', { class: 'text' }, ''), h('th', { class: 'text' }, 'What moved'))),
  h('tbody', null, list.map(comparisonRow))));
}

function drawComparison() {
  const b = data.baseline;
  if (!b) return null;
  const rest = (list, text) => list.length ? h('p', { class: 'legend' }, `${text}: ${list.map(k => k.kernel).join('; ')}`) : null;
  return section('baseline', `Compared with ${shortName(b.old)}`, comparisonTable(b.kernels), rest(b.only_old, 'Only before'), rest(b.only_new, 'Only now'));
}

function drawKernelComparison(kernel) {
  const mine = data.baseline ? data.baseline.kernels.filter(k => k.kernel === kernel.name) : [];
  return mine.length ? section('compared', `Compared with ${shortName(data.baseline.old)}`, comparisonTable(mine)) : null;
}
