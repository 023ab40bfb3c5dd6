/* pictures.js - accesses of one warp as grids: a column a bank and a row a pass for shared memory, a row a 128-byte line with its
 * four sectors for global memory. */
'use strict';

const CELL_W = 26, CELL_H = 22, SECTOR_GAP = 8;

/* Lanes from first to last go from the accent's blue to a violet. */
function laneColour(lane) { return `hsl(${200 + lane * 3.2}, ${48 + lane * 0.3}%, ${38 + lane * 0.35}%)`; }

function pictureOf(p) {
  const shared = p.space === 'shared', gap = shared ? 0 : SECTOR_GAP;
  const x = column => column * CELL_W + Math.floor(column / 8) * gap;
  const W = x(31) + CELL_W, H = 20 + p.rows.length * CELL_H;
  return svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'Which lane touches what' },
    p.rows[0] ? p.rows[0].map((_, c) => svg('text', { class: 'col', x: x(c) + CELL_W / 2, y: 12 }, String(c))) : null,
    p.rows.map((row, r) => row.map((cell, c) => {
      const lane = cell >= 100 ? cell - 100 : cell;
      return [svg('rect', { class: cell < 0 ? 'none' : null, fill: cell < 0 ? null : laneColour(lane), x: x(c) + 1, y: 20 + r * CELL_H + 1, width: CELL_W - 2, height: CELL_H - 2, rx: 2 }),
        cell < 0 ? null : svg('text', { class: 'lane', x: x(c) + CELL_W / 2, y: 20 + r * CELL_H + 15 }, lane + (cell >= 100 ? '+' : ''))];
    })));
}

function captionOf(p) {
  const shared = p.space === 'shared', unit = shared ? (p.units === 1 ? 'pass' : 'passes') : p.units === 1 ? 'sector' : 'sectors';
  const place = p.line && p.file ? `${shortName(p.file)}:${p.line}` : `PTX line ${p.ptx}`;
  return h('figcaption', null, h('b', null, place), ` \u2013 ${p.op}.${p.space}, ${p.size} bytes a lane, ${p.lanes} lanes: `,
    h('b', { class: p.units > p.ideal ? 'worse' : null }, `${p.units} ${unit}`), p.units > p.ideal ? ` where ${p.ideal} would do` : ', no more than needed',
    p.waste ? h('span', { class: 'soft' }, `; ${short(p.waste, '')} ${shared ? 'conflicts' : 'excessive sectors'} in the whole launch`) : '',
    p.alike ? h('span', { class: 'soft' }, `; ${p.alike + 1} instructions of this line do the same`) : '');
}

function drawPictures(kernel) {
  if (!kernel.pictures.length)
    return section('accesses', 'Accesses', h('div', { class: 'card note' }, data.no_pictures || 'The first block of the launch accesses neither global nor shared memory.'));
  return section('accesses', 'Accesses', h('div', { class: 'card pictures' },
    kernel.pictures.map(p => h('figure', null, captionOf(p), pictureOf(p), p.more ? h('p', { class: 'legend' }, `and ${p.more} rows more`) : null)),
    h('p', { class: 'legend' }, 'The first execution of an instruction in the first block; those that waste most come first. Numbers are lanes, + where several have the same word. Shared memory: a column a bank. Global memory: a row a line of 128 bytes, a column a word, a group a sector.')));
}
