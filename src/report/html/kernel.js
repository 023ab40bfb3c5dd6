/* kernel.js - a kernel's page. */
'use strict';

function dims(d) { return d.join(' \u00d7 '); }

function fact(name, text, note) { return h('div', null, h('dt', null, name), h('dd', null, text), h('dd', null, note || '\u00a0')); }

function drawFacts(kernel) {
  const l = kernel.launch, dram = valueOf(kernel, 'DRAM Throughput'), limit = kernel.limits;
  const need = limit ? limit.rows.find(r => r[0] === limit.nearest)[1] : null;
  return h('dl', { class: 'facts' },
    fact('Time', marked(time(kernel.ns), 'm'), known(l.low) ? `${time(l.low)} to ${time(l.high)}` : ''),
    kernel.launches > 1 ? fact('Launches', number(kernel.launches), [...marked(time(kernel.total), 'm'), ' together']) : null,
    limit ? fact('Nearest limit', limit.nearest, known(kernel.ns) ? [...marked(percent(100 * need / kernel.ns), 'm'), ' of the time'] : '') : null,
    fact('Occupancy', marked(percent(l.occupancy), l.occupancy_kind), 'theoretical'),
    known(dram.value) ? fact('DRAM', marked(percent(dram.value), dram.kind), 'busy') : null,
    fact('Registers', marked(number(l.registers), l.registers_kind), 'a thread'));
}

function drawShape(kernel) {
  const l = kernel.launch, item = (name, value) => h('span', null, name + ' ', h('b', null, value));
  return h('div', { class: 'shape' }, item('grid', dims(l.grid)), item('block', dims(l.block)), l.cluster ? item('cluster', dims(l.cluster)) : null,
    l.static + l.dynamic ? item('shared memory', `${number(l.static + l.dynamic)} bytes`) : null, item('stream', String(l.stream)),
    item(kernel.launches > 1 ? 'the longest launch, number' : 'launch', String(l.id)), kernel.roofs ? item('on', kernel.roofs.name) : null);
}

function drawRuns(kernel) {
  const times = kernel.runs.filter(r => known(r[1]));
  if (times.length < 2) return null;
  const most = Math.max(...times.map(r => r[1])), W = 1000, step = W / kernel.runs.length;
  return section('launches', 'Launches', h('div', { class: 'card' },
    svg('svg', { viewBox: `0 0 ${W} 70`, preserveAspectRatio: 'none', style: 'height:70px' }, kernel.runs.map(([id, ns], i) => known(ns) ?
      svg('rect', { x: (i * step).toFixed(2), width: Math.max(0.5, Math.min(step * 0.85, 24)).toFixed(2), y: (68 - 66 * ns / most).toFixed(2), height: (66 * ns / most + 2).toFixed(2), fill: id === kernel.launch.id ? 'var(--warm)' : 'var(--accent)' },
        title(`launch ${id}: ${time(ns)}`)) : null)),
    h('p', { class: 'legend' }, `Modelled times of ${kernel.runs.length < kernel.launches ? `the first ${kernel.runs.length} of ` : ''}${number(kernel.launches)} launches, up to `, ...marked(time(most), 'm'), '; the one shown here stands out.')));
}

function drawMetrics(kernel) {
  let at = 0;
  const groups = data.sections.map(([name, list]) => {
    const body = list.map(([label, full, unit, text]) => {
      const value = kernel.values[at], kind = kernel.kinds[at++];
      return known(value) ? h('tr', { title: `${full}${text ? ': ' + text : ''} (${KINDS[kind]})` }, h('td', null, label), h('td', null, ...marked(metric(value, unit), kind))) : null;
    }).filter(Boolean);
    return body.length ? h('div', null, h('h3', null, name), h('table', null, h('tbody', null, body))) : null;
  });
  return h('section', { id: 'metrics' }, h('details', { open: true }, h('summary', null, h('h2', null, 'Metrics')), h('div', { class: 'card' }, h('div', { class: 'metrics' }, groups))));
}

function drawPath(k) {
  const at = rows().findIndex(r => +r.dataset.k === k);
  const step = (by, label, text) => h('button', { type: 'button', title: label, 'aria-label': label, disabled: !rows()[at + by], onclick: () => move(by) }, text);
  return h('div', { class: 'path' }, h('span', null, h('a', { href: '#' }, 'Kernels'), ` / ${at + 1} of ${data.kernels.length}`), step(-1, 'Previous kernel (k)', '\u2190'), step(1, 'Next kernel (j)', '\u2192'));
}

function drawKernel(page, k) {
  const kernel = data.kernels[k];
  const parts = [drawAdvice(kernel, k), drawKernelComparison(kernel), h('div', { class: 'pair' }, drawLimits(kernel), drawStalls(kernel)), drawMemory(kernel), drawSource(kernel),
    drawPictures(kernel), h('div', { class: 'pair' }, drawRoofline(kernel), drawOccupancy(kernel)), drawRuns(kernel), drawMetrics(kernel)].filter(Boolean);
  const jumps = parts.flatMap(p => (p.id ? [p] : [...p.children])).map(p => h('a', { href: `#k${k}/${p.id}` }, p.querySelector('h2').textContent));
  page.append(drawPath(k), kernel.launch.status !== 'ok' ? h('p', { class: 'fault' }, `The launch ended with ${kernel.launch.status}: what it did until then.`) : '',
    h('h1', null, kernel.function), h('code', { class: 'signature' }, kernel.name), drawShape(kernel), drawFacts(kernel), h('nav', { class: 'jump' }, jumps), ...parts);
  settle(page);
}
