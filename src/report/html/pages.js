/* pages.js - the data, and which page is open: the address behind # is "", "k<number>" or "k<number>/<part>". */
'use strict';

const data = JSON.parse(byId('data').textContent);
const eventNumber = new Map(data.event_names.map((name, i) => [name, i]));

/* The counts of a launch by name, 0 where there is none. */
function eventsOf(kernel) {
  const counts = new Array(data.event_names.length).fill(0);
  for (let i = 0; i < kernel.events.length; i += 2) counts[kernel.events[i]] = kernel.events[i + 1];
  return name => counts[eventNumber.get(name)] || 0;
}

/* The value and kind of a metric by the label of its section's row. */
function valueOf(kernel, label) {
  let at = 0;
  for (const [, rows] of data.sections)
    for (const [name] of rows) {
      if (name === label) return { value: kernel.values[at], kind: kernel.kinds[at] };
      at++;
    }
  return { value: null, kind: 'c' };
}

const open = { kernel: -1, scroll: 0 };

function go(k, part) { location.hash = k < 0 ? '' : 'k' + k + (part ? '/' + part : ''); }

function show() {
  const match = /^#k(\d+)(?:\/(\w+))?$/.exec(location.hash);
  const k = match && +match[1] < data.kernels.length ? +match[1] : -1;
  const overview = byId('overview'), page = byId('kernel');
  if (k !== open.kernel) {
    if (open.kernel < 0) open.scroll = scrollY;
    open.kernel = k;
    overview.hidden = k >= 0;
    page.hidden = k < 0;
    page.replaceChildren();
    if (k >= 0) drawKernel(page, k);
    document.title = k < 0 ? 'Lockstep: ' + data.command : data.kernels[k].function + ' \u2013 Lockstep';
    scrollTo(0, k < 0 ? open.scroll : 0);
  }
  if (match && match[2] && byId(match[2])) byId(match[2]).scrollIntoView();
}
