/* memory.js - the memory chart: what goes between a warp's lanes, the memories of an SM, L2 and DRAM. Wide pages have it as a
 * picture, narrow ones as a list. */
'use strict';

/* An arrow: what it is, which way it goes (in: towards the lanes), two lines of numbers, and whether it wastes. */
function flow(name, inward, main, kind, low, hot) { return { name, inward, main, kind, low, hot }; }

function sectorFlow(name, inward, requests, sectors, bytes, kind) {
  const each = requests ? sectors / requests : 0;
  return requests ? flow(name, inward, `${short(requests, '')} requests`, kind,
    `${short(sectors, '')} sectors, ${number(Math.round(each * 10) / 10)} each`, bytes && sectors > 1.1 * Math.max(bytes / 32, requests)) : null;
}

function sharedFlow(name, inward, requests, wavefronts, conflicts, kind) {
  return requests ? flow(name, inward, `${short(requests, '')} requests`, kind,
    `${short(wavefronts, '')} wavefronts` + (conflicts ? `, ${short(conflicts, '')} conflicts` : ''), conflicts > 0.1 * (wavefronts - conflicts)) : null;
}

function countFlow(name, inward, n, what, kind, low) { return n ? flow(name, inward, `${short(n, '')} ${what}`, kind, low || '', false) : null; }

/* The bytes themselves: sectors of 32. */
function byteFlow(name, inward, sectors, kind) {
  return sectors ? flow(name, inward, short(32 * sectors, 'B'), kind, `${short(sectors, '')} sectors`, false) : null;
}

function memoryOf(kernel) {
  const n = eventsOf(kernel), hit = (a, b) => (a + b > 0 ? 100 * a / (a + b) : null);
  const kind = valueOf(kernel, 'Global Load Sectors').kind, shared = valueOf(kernel, 'Shared Load Wavefronts').kind;
  const l1 = hit(n('l1_gld_hits') + n('l1_gst_hits') + n('l1_other_hits'), n('l1_gld_misses') + n('l1_gst_misses') + n('l1_other_misses'));
  const l2 = valueOf(kernel, 'L2 Hit Rate').value;
  return {
    l1: { name: 'L1 / TEX', sub: l1 === null ? '' : `${percent(l1)} hit`, flows: [
      sectorFlow('global loads', true, n('gld_requests'), n('gld_sectors'), n('gld_bytes'), kind),
      sectorFlow('cp.async', true, n('gasync_requests'), n('gasync_sectors'), n('gasync_bytes'), 'c'),
      sectorFlow('global stores', false, n('gst_requests'), n('gst_sectors'), n('gst_bytes'), kind),
      sectorFlow('atomics', false, n('gatom_requests') + n('gred_requests'), n('gatom_sectors') + n('gred_sectors'), 0, 'c'),
      sectorFlow('local loads', true, n('lld_requests'), n('lld_sectors'), 0, 'e'),
      sectorFlow('local stores', false, n('lst_requests'), n('lst_sectors'), 0, 'e'),
      countFlow('textures', true, n('tex_requests') + n('suld_requests'), 'requests', 'e'),
      countFlow('surface stores', false, n('sust_requests'), 'requests', 'e'),
      countFlow('constants', true, n('cld_requests'), 'requests', 'e', `${short(n('cld_words'), '')} words`)].filter(Boolean) },
    shared: { name: 'Shared memory', sub: '', flows: [
      sharedFlow('loads', true, n('sld_requests'), n('sld_wavefronts'), n('sld_conflicts'), shared),
      sharedFlow('stores', false, n('sst_requests'), n('sst_wavefronts'), n('sst_conflicts'), shared),
      sharedFlow('atomics', false, n('satom_requests'), n('satom_wavefronts'), n('satom_conflicts'), shared),
      sectorFlow("loads of other blocks'", true, n('dld_requests'), n('dld_sectors'), 0, 'c'),
      sectorFlow("stores to other blocks'", false, n('dst_requests') + n('datom_requests'), n('dst_sectors') + n('datom_sectors'), 0, 'c')].filter(Boolean) },
    l2: { name: 'L2', sub: known(l2) ? `${percent(l2)} hit` : '', flows: [
      byteFlow('reads', true, n('l2_reads'), 'm'), byteFlow('writes', false, n('l2_writes'), 'm'),
      byteFlow('atomics', false, n('l2_atoms') + n('l2_reds'), 'm')].filter(Boolean) },
    dram: { name: 'DRAM', sub: '', flows: [byteFlow('reads', true, n('dram_reads'), 'm'), byteFlow('writes', false, n('dram_writes'), 'm')].filter(Boolean) },
  };
}

/* ---- the picture ---- */

const ROW = 50;

function boxAt(x, y, w, hh, box, unused) {
  const middle = y + hh / 2;
  return svg('g', { class: unused ? 'unused' : null },
    svg('rect', { class: 'box', x, y, width: w, height: hh, rx: 8 }),
    svg('text', { class: 'name', x: x + w / 2, y: box.sub ? middle - 2 : middle + 4 }, box.name),
    box.sub ? svg('text', { class: 'sub', x: x + w / 2, y: middle + 15 }, box.sub, svg('tspan', null, /hit/.test(box.sub) ? '*' : '')) : null);
}

/* Arrows between x0 (nearer to the lanes) and x1, one under the other in the middle of a box. */
function arrows(flows, x0, x1, y, height) {
  const top = y + (height - flows.length * ROW) / 2;
  return flows.map((f, i) => {
    const at = top + i * ROW + ROW / 2, a = x0 + 8, b = x1 - 8, hot = f.hot ? ' hot' : '';
    const tip = f.inward ? `M${a} ${at}l9 -4.5v9z` : `M${b} ${at}l-9 -4.5v9z`;
    return svg('g', null,
      svg('line', { class: 'flow' + hot, x1: f.inward ? a + 8 : a, x2: f.inward ? b : b - 8, y1: at, y2: at, 'stroke-width': 1.6 }),
      svg('path', { class: 'tip' + hot, d: tip }),
      svg('text', { class: 'up', x: (a + b) / 2, y: at - 6 }, `${f.name}: ${f.main}${MARKS[f.kind]}`),
      svg('text', { class: 'low', x: (a + b) / 2, y: at + 15 }, f.low));
  });
}

function memoryPicture(m) {
  const W = 1160, lanes = 96, box = 136, gap1 = 300, gap2 = 172, gap3 = 172;
  const tall = b => Math.max(b.flows.length, 1) * ROW + 14;
  const far = Math.max(tall(m.l2), tall(m.dram)), h1 = Math.max(tall(m.l1), far), h2 = m.shared.flows.length ? tall(m.shared) : 46;
  const y2 = h1 + 18, H = y2 + h2, x1 = lanes + gap1, x2 = x1 + box + gap2, x3 = x2 + 112 + gap3;
  return svg('svg', { class: 'memory memory-chart', viewBox: `-1 -1 ${W + 2} ${H + 2}`, role: 'img', 'aria-label': 'Memory chart' },
    boxAt(0, 0, lanes, H, { name: 'Lanes', sub: '' }), boxAt(x1, 0, box, h1, m.l1, !m.l1.flows.length),
    boxAt(x1, y2, box, h2, m.shared.flows.length ? m.shared : { ...m.shared, sub: 'not used' }, !m.shared.flows.length),
    boxAt(x2, 0, 112, h1, m.l2, !m.l2.flows.length), boxAt(x3, 0, W - x3, h1, m.dram, !m.dram.flows.length),
    arrows(m.l1.flows, lanes, x1, 0, h1), arrows(m.shared.flows, lanes, x1, y2, h2),
    arrows(m.l2.flows, x1 + box, x2, 0, h1), arrows(m.dram.flows, x2 + 112, x3, 0, h1));
}

/* ---- the list ---- */

function memoryList(m) {
  const part = (from, box) => box.flows.length ? [h('h3', { style: 'margin-top:14px' }, `${from} \u2194 ${box.name}`, box.sub ? h('span', { class: 'soft' }, ` ${box.sub}`, h('i', null, '*')) : null),
    h('table', null, h('tbody', null, box.flows.map(f => h('tr', null,
      h('td', { class: 'text' }, f.inward ? '\u2190 ' : '\u2192 ', f.name),
      h('td', { class: f.hot ? 'worse' : null }, ...marked(f.main, f.kind), f.low ? h('div', { class: 'soft' }, f.low) : null)))))] : [];
  return h('div', { class: 'memory-list' }, part('Lanes', m.l1), part('Lanes', m.shared), part('L1', m.l2), part('L2', m.dram));
}

function drawMemory(kernel) {
  const m = memoryOf(kernel), waste = [...m.l1.flows, ...m.shared.flows].some(f => f.hot);
  if (![m.l1, m.shared].some(b => b.flows.length)) return section('memory', 'Memory', h('div', { class: 'card note' }, 'The kernel accesses no memory.'));
  const dram = valueOf(kernel, 'DRAM Throughput');
  return section('memory', 'Memory', h('div', { class: 'card' }, memoryPicture(m), memoryList(m),
    h('p', { class: 'legend' }, m.l2.flows.length ? ['DRAM is busy for ', ...marked(percent(dram.value), 'm'), ' of the time. '] : 'Caches and DRAM were not modelled for this launch. ',
      waste ? [h('span', { class: 'key', style: 'background:rgb(var(--heat))' }), 'More than the bytes need: excessive sectors, or bank conflicts.'] : 'No arrow has a tenth more than its bytes need.')));
}
