/* roofline.js - operations a byte against operations a second, both axes logarithmic. A kernel without floating point has the
 * roofline of its instructions. */
'use strict';

/* What is counted on the axes: name, operations of the launch, their roof a second. */
function rooflineWork(kernel, count) {
  const f32 = count('fadd') + count('fmul') + 2 * count('ffma'), f64 = count('dadd') + count('dmul') + 2 * count('dfma');
  if (f64 > f32) return { what: 'f64 operations', unit: 'FLOP', work: f64, roof: kernel.roofs.fp64, kind: 'e' };
  if (f32 > 0) return { what: 'f32 operations', unit: 'FLOP', work: f32, roof: kernel.roofs.fp32, kind: 'e' };
  return { what: 'warp instructions', unit: 'inst', work: count('inst'), roof: kernel.roofs.issue, kind: 'e' };
}

function decades(lo, hi) {
  const all = [];
  for (let d = Math.ceil(lo); d <= hi; d++) all.push(d);
  return all;
}

function drawRoofline(kernel) {
  const heading = 'Roofline', count = eventsOf(kernel);
  if (!kernel.roofs || !known(kernel.ns) || !(kernel.ns > 0))
    return section('roofline', heading, h('div', { class: 'card note' }, 'There is no modelled time to draw one with.'));
  const w = rooflineWork(kernel, count), roofs = kernel.roofs, rate = w.work / kernel.ns * 1e9;
  const levels = [
    { name: 'DRAM', bytes: 32 * (count('dram_reads') + count('dram_writes')), rate: roofs.dram },
    { name: 'L1', bytes: 32 * (count('gld_sectors') + count('gst_sectors') + count('gasync_sectors') + count('lld_sectors') + count('lst_sectors')), rate: roofs.l1 },
  ].filter(l => l.rate > 0);
  if (!w.work || !(w.roof > 0)) return section('roofline', heading, h('div', { class: 'card note' }, 'The kernel has no operations to draw.'));
  const points = levels.filter(l => l.bytes > 0).map(l => ({ ...l, x: w.work / l.bytes }));
  const knees = levels.map(l => w.roof / l.rate);
  const x0 = Math.floor(Math.log10(Math.min(...points.map(p => p.x), ...knees)) - 0.4), x1 = Math.ceil(Math.log10(Math.max(...points.map(p => p.x), ...knees)) + 0.6);
  const y1 = Math.log10(w.roof) + 0.35, y0 = Math.min(Math.floor(Math.log10(rate)) - 0.3, y1 - 3);
  const W = 540, H = 330, L = 62, R = 14, T = 10, B = 40;
  const px = x => L + (Math.log10(x) - x0) / (x1 - x0) * (W - L - R), py = y => H - B - (Math.log10(y) - y0) / (y1 - y0) * (H - T - B);
  const left = 10 ** x0, right = 10 ** x1;
  const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'Roofline' },
    decades(x0, x1).map(d => [svg('line', { class: 'grid', x1: px(10 ** d), x2: px(10 ** d), y1: T, y2: H - B }),
      svg('text', { class: 'soft', x: px(10 ** d), y: H - B + 16, 'text-anchor': 'middle' }, d >= 0 && d < 5 ? String(10 ** d) : d >= -3 ? (10 ** d).toFixed(-d) : `1e${d}`)]),
    decades(y0, y1).map(d => [svg('line', { class: 'grid', x1: L, x2: W - R, y1: py(10 ** d), y2: py(10 ** d) }),
      svg('text', { class: 'soft', x: L - 6, y: py(10 ** d) + 4, 'text-anchor': 'end' }, short(10 ** d, ''))]),
    svg('text', { class: 'soft', x: (L + W - R) / 2, y: H - 6, 'text-anchor': 'middle' }, `${w.unit} a byte`),
    levels.map((l, i) => {
      const knee = Math.min(Math.max(w.roof / l.rate, left), right), low = Math.max(left, 10 ** y0 / l.rate);
      const at = px(low) + (px(knee) - px(low)) * 0.42, value = 10 ** (x0 + (at - L) / (W - L - R) * (x1 - x0)) * l.rate;
      return [svg('path', { class: i ? 'roof second' : 'roof', d: `M${px(low)} ${py(low * l.rate)}L${px(knee)} ${py(knee * l.rate)}${i ? '' : `H${px(right)}`}` }, title(`${l.name}: ${short(l.rate, 'B/s')}`)),
        svg('text', { class: 'soft', x: at - 8, y: py(value) - 4, 'text-anchor': 'end' }, l.name)];
    }),
    svg('text', { class: 'soft', x: W - R, y: py(w.roof) - 6, 'text-anchor': 'end' }, `${short(w.roof, w.unit)}/s`),
    points.map((p, i) => [svg('circle', { class: 'dot', cx: px(p.x), cy: py(rate), r: i ? 4.5 : 6, opacity: i ? 0.75 : 1 },
      title(`${number(p.x)} ${w.unit} a byte of ${p.name}, ${short(rate, w.unit)}/s`)),
    svg('text', { x: px(p.x), y: py(rate) + 20, 'text-anchor': 'middle' }, p.name)]));
  return section('roofline', heading, h('div', { class: 'card' }, picture,
    h('p', { class: 'legend' }, `${short(w.work, '')} ${w.what}`, ...marked(' ', w.kind).slice(1), ` in the modelled time: ${short(rate, w.unit)}/s`, ...marked(' ', 'm').slice(1),
      `, ${percent(100 * rate / w.roof)} of the roof. A point stands under the roof of the bytes that it is divided by.`)));
}
