/* machine.js - what ptxas made of a kernel: by address, or below the PTX that it was made of. */
'use strict';

/* What a row says: its instruction, where it came from, and the cycles that warps spent there, by reason. */
function machineRows(kernel) {
  return kernel.machine.rows.map(([ptx, file, line, pipe, text, issued = 0, ...pairs], i) => {
    const spent = [];
    for (let k = 0; k < pairs.length; k += 2) spent.push([data.stalls[pairs[k]][0].replaceAll('_', ' '), pairs[k + 1]]);
    return { address: i * kernel.machine.step, ptx, file, line, pipe, text, issued, spent: spent.sort((a, b) => b[1] - a[1]),
      cycles: spent.reduce((sum, s) => sum + s[1], 0) };
  });
}

/* Of the metrics only cycles and instructions are known for machine code. */
function machineValue(row, metric) {
  return metric.name === 'Time' ? row.cycles : metric.name === 'Instructions' ? row.issued : 0;
}

/* Most of what its warps waited for; what they issued themselves is no wait. */
function waitOf(row) {
  const wait = row.spent.find(s => s[0] !== 'selected');
  return wait && row.cycles ? `${wait[0]} ${percent(100 * wait[1] / row.cycles)}*` : '';
}

function machineHint(row) {
  if (!row.issued) return `${row.pipe} pipe; not issued in what was replayed`;
  return `${row.pipe} pipe; issued ${number(row.issued)} times*, ${number(row.cycles)} cycles of warps*: ` +
    row.spent.map(([name, cycles]) => `${name} ${percent(100 * cycles / row.cycles)}`).join(', ');
}

function machineRow(row, metric, most, all) {
  const value = machineValue(row, metric);
  return h('div', { class: 'r sass', 'data-line': row.line ? `${row.file}:${row.line}` : null, title: machineHint(row) },
    h('span', { class: 'n' }, row.address.toString(16).padStart(4, '0')), heatOf(value, most, all, metric.name === 'Time' ? 0 : 1, 'm'),
    h('span', { class: 't' }, row.text), h('span', { class: 'w' }, h('span', null, row.pipe), waitOf(row)));
}

/* The rows by the line of the PTX that they were made of, each ready to be shown. */
function machineCode(kernel, metric) {
  const rows = machineRows(kernel), most = Math.max(1e-9, ...rows.map(r => machineValue(r, metric)));
  const all = rows.reduce((sum, r) => sum + machineValue(r, metric), 0) || 1, byPtx = new Map();
  for (const row of rows) {
    if (!byPtx.has(row.ptx)) byPtx.set(row.ptx, []);
    byPtx.get(row.ptx).push(row);
  }
  return { rows, byPtx, draw: row => machineRow(row, metric, most, all) };
}

function machineNote(kernel) {
  if (!kernel.machine) return data.no_machine;
  return 'SASS: what ptxas made of the kernel, and what the replay of an SM says that warps waited for (*). ' + (kernel.machine.by ?
    `The text is ${kernel.machine.by}'s.` : 'No nvdisasm or cuobjdump was found, so that opcodes stand there without their operands.');
}
