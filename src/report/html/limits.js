/* limits.js - the least time that each resource needs, as bars; what warps wait for, likewise; and the advice. */
'use strict';

/* rows: {name, value (a number), text (its children), hint, strong}; `now`: a line across all bars. */
function bars(list, most, now) {
  return h('div', { class: 'bars' }, list.map(row =>
    h('div', { class: row.strong ? 'row nearest' : 'row', title: row.hint },
      h('div', null, row.name),
      h('div', { class: 'track' },
        h('div', { class: 'fill', style: `width:${(100 * row.value / most).toFixed(2)}%` }),
        now ? h('div', { class: 'now', style: `left:${(100 * now / most).toFixed(2)}%` }) : null),
      h('div', { class: 'value' }, row.text))));
}

function drawLimits(kernel) {
  const limits = kernel.limits;
  if (!limits) return section('limits', 'Limits', h('div', { class: 'card note' }, 'Nothing can be said: no instruction was counted, or the GPU is not known here.'));
  const most = Math.max(kernel.ns || 0, ...limits.rows.map(r => r[1])) * 1.02;
  const list = [...limits.rows].sort((a, b) => b[1] - a[1]).map(([name, ns, kind, sum]) =>
    ({ name, value: ns, text: marked(time(ns), kind), hint: `${sum} = ${time(ns)}`, strong: name === limits.nearest }));
  return section('limits', 'Limits', h('div', { class: 'card' }, bars(list, most, kernel.ns),
    h('p', { class: 'legend' },
      known(kernel.ns) ? [h('span', { class: 'key', style: 'background:var(--warm);width:2px' }), 'The modelled time, ', ...marked(time(kernel.ns), 'm'), '. '] : '',
      'A bar is the least time that a resource needs for what was counted, as if it were busy all the time.')));
}

function drawStalls(kernel) {
  const count = eventsOf(kernel);
  const list = data.stalls.map(([name, text]) => ({ name: name.replaceAll('_', ' '), hint: text, value: count('stall_' + name) }))
    .filter(row => row.value > 0).sort((a, b) => b.value - a.value);
  const all = list.reduce((sum, row) => sum + row.value, 0);
  if (!all) return section('stalls', 'What warps wait for', h('div', { class: 'card note' }, 'No SM was replayed for this launch, so that this is not known.'));
  const shown = list.filter((row, i) => i < 9 && row.value > all / 500);
  shown.forEach(row => {
    row.text = marked(percent(100 * row.value / all), 'm');
    row.strong = row === shown.find(r => r.name !== 'selected');
  });
  return section('stalls', 'What warps wait for', h('div', { class: 'card' }, bars(shown, shown[0].value * 1.02),
    h('p', { class: 'legend' }, 'Parts of the cycles of all warps. Selected: the warp issued an instruction.')));
}

/* ---- advice ---- */

function shortName(file) { return file.replace(/^.*\//, ''); }

function placeOf(advice, k) {
  if (!advice.line && !advice.ptx) return null;
  const text = advice.line && advice.file ? `${shortName(advice.file)}:${advice.line}` : `PTX line ${advice.ptx}`;
  return h('a', { href: `#k${k}/source`, onclick: () => setTimeout(() => lightLine(advice), 0) }, text);
}

/* As the text reports say it, with files by their last part and signs for words. */
function spelled(text) {
  for (const file of data.files) text = text.replaceAll(file.name, shortName(file.name));
  return text.replace(/(\d) us\b/g, '$1\u00a0\u00b5s').replaceAll(' x ', ' \u00d7 ').replaceAll(' - ', ' \u2212 ');
}

function drawAdvice(kernel, k) {
  const list = kernel.advice.map(a =>
    h('article', { class: /Uncoalesced|Conflicts|Divergence/.test(a.rule) ? 'card waste' : 'card' },
      h('header', null, h('h3', null, a.title), placeOf(a, k)),
      h('p', null, spelled(a.text)),
      a.sums.length ? h('ul', { class: 'sums' }, a.sums.map(s => h('li', null, spelled(s)))) : null));
  return section('advice', 'Advice', list.length ? h('div', { class: 'advice' }, list) : h('div', { class: 'card note' }, 'There is none for this launch.'));
}
