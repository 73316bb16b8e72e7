// Shows one request in the panel: the reason for its response, the request, and the response.

import { Body, atOnce } from './body.js';
import { get } from './control.js';
import { compareTab } from './compare.js';
import { forms } from './copy_as.js';
import { button, copyButton, element, emptyState, facts, fill, shown, table } from './elements.js';
import { className, size, title } from './format.js';
import { patchForm } from './overlay_form.js';
import { messagesOf, messagesView } from './messages.js';
import { pins } from './pins.js';
import { store } from './store.js';
import { prettyView, rawView } from './viewer.js';
import { whyView } from './why.js';

let chosenTab = 'Why'; // kept from one request to the next

const pairs = (list, label) => table(['Name', 'Value'], list.map(({ name, value }) => [name, value]), label);

function requestTab({ entry, asked }) {
  if (!asked) return emptyState('The request is not stored', element('p', {}, entry.outcome === 'refused' ? 'Of a refused request, only its call or path is stored.' : 'Only the newest requests are stored with their content.'));
  return [
    facts([['Path', asked.path], ['Verb', entry.verb], ['Left out of the key', asked.left_out?.join(', ')]]),
    asked.parameters.length > 0 ? pairs(asked.parameters, 'Parameters') : element('p', { class: 'quiet' }, 'The key has no parameters.'),
    asked.body && [element('h3', {}, 'Body'), rawView(new Body({ headers: [], body: asked.body }))],
  ];
}

function headersTab({ asked, answer }) {
  const list = (name, headers) => [element('h3', {}, name), headers?.length > 0 ? pairs(headers, `${name}`) : element('p', { class: 'quiet' }, 'No headers are stored.')];
  return [...list('Request headers', asked?.headers), ...list('Response headers', answer?.headers)];
}

const noResponse = () => element('p', { class: 'quiet' }, 'There is no response, or it is no longer stored.');

/** Returns the tabs of `seen`, a `GET /requests/N`. Each is created when it is opened. */
export function tabsOf(seen, body) {
  const patch = store.isRecording || !seen.entry ? undefined : (...chosen) => patchForm(seen, ...chosen);
  const messages = messagesOf(seen, body);
  return {
    ...(seen.entry && { Why: () => whyView(seen) }),
    ...(messages && { Messages: () => messagesView(messages) }),
    Request: () => requestTab({ entry: {}, ...seen }),
    Response: () => (body ? [element('p', { class: 'quiet' }, `${seen.answer.status} ${shown(seen.answer.reason, 80)}, ${size(body.bytes)}`), prettyView(body, patch)] : noResponse()),
    ...(seen.entry && seen.answer && { Compare: () => compareTab(seen) }),
    Headers: () => headersTab(seen),
    Raw: () => (body ? rawView(body) : noResponse()),
  };
}

/** Shows a list of tabs, and the content of the chosen one. The arrow keys move between tabs. */
export function tabs(all, first, chose) {
  const names = Object.keys(all);
  const content = element('div', { class: 'tab-content', role: 'tabpanel', id: 'tab-content', tabindex: '0' });
  const choose = (name) => {
    for (const made of list.children) {
      const isChosen = made.textContent === name;
      made.setAttribute('aria-selected', String(isChosen));
      made.tabIndex = isChosen ? 0 : -1;
    }
    content.setAttribute('aria-labelledby', `tab-${name}`);
    content.scrollTop = 0;
    chose(name);
    fill(content, all[name]());
  };
  const key = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = [...list.children].indexOf(event.target);
    const next = list.children[(at + by + names.length) % names.length];
    choose(next.textContent);
    next.focus();
  };
  const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Details', onkeydown: key },
    names.map((name) => button(name, () => choose(name), { role: 'tab', id: `tab-${name}`, 'aria-controls': 'tab-content' })));
  choose(names.includes(first) ? first : names[0]);
  return [list, content];
}

export const badge = (outcome) => element('span', { class: className(outcome) }, element('span', { class: 'badge' }, outcome));

/** Pins the request, so that it stays above the list and can be compared. */
function pinButton(entry) {
  const made = button('◆', () => {
    pins.toggle(store.row(entry.number) ?? entry);
    show();
  }, { class: 'icon', 'aria-label': 'Pin', title: 'Keep above the list (p)' });
  const show = () => made.setAttribute('aria-pressed', String(pins.has(entry.number)));
  show();
  return made;
}

function head(seen, close) {
  const { entry } = seen;
  const { number } = entry;
  const step = (to, text, name) => element('a', { class: 'button icon', href: `#/requests/${to}`, 'aria-label': name, title: name }, text);
  return element('header', { class: 'panel-head' },
    element('h2', { tabindex: '-1', id: 'title' }, element('span', { class: 'quiet' }, `${number} `), shown(title(entry), 500)),
    element('span', { class: 'buttons' }, number > 1 && step(number - 1, '↑', 'Previous request'), step(number + 1, '↓', 'Next request'),
      pinButton(entry), button('✕', close, { class: 'icon', 'aria-label': 'Close', title: 'Close (Esc)' })),
    element('p', { class: 'buttons' }, badge(entry.outcome), element('span', { class: 'quiet' }, 'Copy as'),
      forms(seen).map(([name, text]) => copyButton(name, text, { class: 'quiet-button', 'aria-label': `Copy as ${name}` }))));
}

/** `close()` is called by the panel's button. */
export function detailPanel(close) {
  const place = element('section', { class: 'panel', 'aria-label': 'Details', hidden: true });
  const panel = { place, takesFocus: false, open, close: () => { asked = null; place.replaceChildren(); } };
  let asked = null;

  async function read(number) {
    try {
      const seen = await get(`/requests/${number}`);
      const next = async (from) => (await get(`/requests/${number}?from=${from}`)).answer.body;
      return { seen, body: seen.answer && await new Body(seen.answer, next).load(atOnce) };
    } catch (error) {
      if (error.status !== 404) throw error;
      return null;
    }
  }
  async function open(number) {
    asked = number;
    const found = await read(number);
    if (asked !== number) return; // another one was opened meanwhile
    if (found === null) {
      fill(place, emptyState(`Request ${number} is not available`, element('p', {}, 'Only the newest 10,000 requests are stored. ', element('a', { href: '#/requests' }, 'Close'))));
      return;
    }
    fill(place, head(found.seen, close), tabs(tabsOf(found.seen, found.body), chosenTab, (name) => { chosenTab = name; }));
    if (panel.takesFocus) document.getElementById('title').focus({ preventScroll: true });
    panel.takesFocus = false;
  }
  return panel;
}
