/* occupancy.js - how many warps an SM would hold with other registers, shared memory or block sizes. */
'use strict';

function stepChart(curve, most, unit, name) {
  const W = 520, H = 104, L = 30, B = 24, T = 8;
  const px = x => L + x / curve.end * (W - L - 6), py = y => H - B - y / most * (H - B - T);
  let path = '', area = '', last = null;
  curve.steps.forEach(([x, y], i) => {
    const next = i + 1 < curve.steps.length ? curve.steps[i + 1][0] : curve.end;
    path += `${i ? 'L' : 'M'}${px(x).toFixed(1)} ${py(y).toFixed(1)}H${px(next).toFixed(1)}`;
    if (x <= curve.at) last = y;
  });
  area = path + `V${py(0)}H${px(curve.steps[0][0]).toFixed(1)}Z`;
  const label = unit(curve.at), x = Math.min(Math.max(px(curve.at), L + 4 * label.length), W - 4 * label.length);
  return h('div', null, h('h3', null, name), svg('svg', { class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': name },
    svg('path', { class: 'area', d: area }), svg('path', { class: 'step', d: path }),
    [0, most / 2, most].map(y => [svg('line', { class: 'grid', x1: L, x2: W - 6, y1: py(y), y2: py(y) }),
      svg('text', { class: 'soft', x: L - 5, y: py(y) + 4, 'text-anchor': 'end' }, String(y))]),
    svg('line', { class: 'here', x1: px(curve.at), x2: px(curve.at), y1: T, y2: H - B }),
    last === null ? null : svg('circle', { class: 'dot', cx: px(curve.at), cy: py(last), r: 5 }),
    svg('text', { x, y: H - 8, 'text-anchor': 'middle' }, label)));
}

function drawOccupancy(kernel) {
  const c = kernel.curves;
  if (!c) return section('occupancy', 'Occupancy', h('div', { class: 'card note' }, 'The GPU is not known here.'));
  const kind = kernel.launch.registers_kind === 'c' ? 'c' : 'e';
  return section('occupancy', 'Occupancy', h('div', { class: 'card' }, h('div', { class: 'three' },
    stepChart(c.registers, c.max, v => `${v} registers${MARKS[kind]}`, 'Warps of an SM by registers a thread'),
    stepChart(c.shared, c.max, v => short(v, 'B', 1024).replace(/([kMG])B/, '$1iB'), 'by shared memory a block'),
    stepChart(c.block, c.max, v => `${v} threads`, 'by threads a block')),
  h('p', { class: 'legend' }, `${c.blocks} blocks an SM, ${c.warps} of ${c.max} warps`, ...marked(' ', kind).slice(1), `; ${c.limiter} ${/s$/.test(c.limiter) ? 'are' : 'is'} the limit. Each curve changes one number and leaves the others.`)));
}
