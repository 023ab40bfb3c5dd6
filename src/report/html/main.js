/* main.js - keys, the switch between dark and light, and the first page. */
'use strict';

function switchTheme() {
  const root = document.documentElement, system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('lockstep-theme', root.dataset.theme); } catch (e) { /* no storage */ }
}

function back() {
  if (open.kernel >= 0) go(-1);
  else if (byId('search').value) { byId('search').value = ''; search(''); }
}

const keys = {
  j: () => move(1), k: () => move(-1), u: back, Escape: back, t: switchTheme,
  ArrowRight: () => { if (open.kernel >= 0) move(1); }, ArrowLeft: () => { if (open.kernel >= 0) move(-1); },
  Enter: () => { if (open.kernel < 0 && chosen) go(+chosen.dataset.k); },
  '/': () => { if (open.kernel >= 0) go(-1); setTimeout(() => byId('search').focus(), 0); },
  '?': () => byId('keys').showModal(),
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
  const typing = event.target.matches('input, select');
  if (typing && event.key === 'Escape') event.target.blur();
  if (typing && event.key === 'Enter' && event.target.id === 'search') { event.target.blur(); move(1); return; }
  if (typing || (event.key === 'Enter' && event.target.matches('a, button, summary'))) return;
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

byId('more').append(...[drawComparison(), drawTimelines()].filter(Boolean));
startTable();
byId('search').addEventListener('input', event => { if (open.kernel >= 0) go(-1); search(event.target.value); });
byId('theme').addEventListener('click', switchTheme);
byId('help').addEventListener('click', () => byId('keys').showModal());
document.addEventListener('keydown', pressed);
addEventListener('hashchange', show);
show();
document.documentElement.dataset.drawn = Math.round(performance.now());
