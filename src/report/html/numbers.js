/* numbers.js - numbers for people, each with the mark of its kind: none counted, ~ estimated, * modelled. */
'use strict';

const KINDS = { c: 'counted', e: 'estimated', m: 'modelled', t: 'measured' };
const MARKS = { c: '', e: '~', m: '*', t: '' };
const NONE = '\u2013';

function known(v) { return v !== null && v !== undefined && Number.isFinite(v); }

function number(v) {
  if (!known(v)) return NONE;
  const a = Math.abs(v);
  const digits = Number.isInteger(v) ? 0 : a >= 100 ? 0 : a >= 10 ? 1 : a >= 0.1 ? 2 : 4;
  return v.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/* With a prefix, three digits: 4.19 M. */
function short(v, unit, step = 1000) {
  if (!known(v)) return NONE;
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  while (Math.abs(v) >= step * 0.9995 && i + 1 < prefixes.length) { v /= step; i++; }
  const a = Math.abs(v), digits = (i === 0 && Number.isInteger(v)) || a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2;
  const tail = prefixes[i] + (unit || '');
  return v.toFixed(digits) + (tail ? '\u00a0' + tail : '');
}

function time(ns) {
  if (!known(ns)) return NONE;
  const units = ['ns', '\u00b5s', 'ms', 's'];
  let i = 0;
  while (Math.abs(ns) >= 999.5 && i < 3) { ns /= 1000; i++; }
  const digits = (i === 0 && Number.isInteger(ns)) || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
  return ns.toFixed(digits) + '\u00a0' + units[i];
}

function percent(v) {
  if (!known(v)) return NONE;
  return (v > 0 && v < 0.05 ? '<0.1' : number(v >= 10 ? Math.round(v) : Math.round(v * 10) / 10)) + '\u00a0%';
}

/* The text of a number and its mark. */
function marked(text, kind) {
  return text === NONE || !MARKS[kind] ? [text] : [text, h('i', { title: KINDS[kind] }, MARKS[kind])];
}

/* A metric in its unit, as `lockstep profile` has it. */
function metric(v, unit) {
  if (!known(v)) return NONE;
  if (unit === 'ns') return time(v);
  if (unit === '%') return percent(v);
  if (unit === 'byte' || unit === 'byte/block') return short(v, 'B');
  if (unit === 'byte/s') return short(v, 'B/s');
  if (/^hz$/i.test(unit)) return short(v, 'Hz');
  return number(v) + (unit && !/^(inst|request|sector|cycle|thread|block|warp|register\/thread)$/.test(unit) ? '\u00a0' + unit : '');
}
