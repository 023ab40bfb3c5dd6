/* dom.js - elements from names, attributes and children. Texts of programs go in as text alone, never as HTML. */
'use strict';

function fill(e, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value);
  }
  e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

function h(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function title(text) { return svg('title', null, text); }

/* A part of a page, under a heading that the row of links at the top jumps to. */
function section(id, heading, ...children) { return h('section', { id }, h('h2', null, heading), ...children); }

const byId = id => document.getElementById(id);
