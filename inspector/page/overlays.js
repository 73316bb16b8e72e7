// Hand-written answers: switched on and off, edited with a check, saved.

import { get, post, text } from './control.js';
import { button, element, fill, save, shown, status } from './elements.js';

const example = JSON.stringify([{ call: 'Core.Share/*/list', error: 407, times: 1 }], null, 2);

function one(overlay, act, change) {
  const { name, call, path, scope, set, file, line, enabled, plays } = overlay;
  const place = set === undefined ? `${shown(file, 200)}, line ${line}` : `set ${shown(set, 200)}`;
  return element('li', {},
    element('strong', {}, shown(name, 200)), ' ', element('code', {}, shown(call ?? path, 300)), ' ',
    element('span', { class: 'quiet' }, [place, scope && `scope ${shown(scope, 80)}`, plays === 1 ? 'played once' : plays === 0 ? 'never played' : `played ${plays} times`].filter(Boolean).join(', ')), ' ',
    button(enabled ? 'On' : 'Off', () => act(`/overlays/${enabled ? 'disable' : 'enable'}`, { name }, `${name} is ${enabled ? 'off' : 'on'}.`),
      { 'aria-pressed': String(enabled), 'aria-label': `${shown(name, 200)} is on` }), ' ',
    set !== undefined && button('Edit', () => change(set), { 'aria-label': `Edit ${shown(set, 200)}` }), ' ',
    set !== undefined && button('Delete', () => act('/overlays/delete', { set }, `Set ${set} is gone.`), { 'aria-label': `Delete ${shown(set, 200)}` }));
}

/** A text field for a set, looked at while somebody writes. */
function editor(act) {
  const said = element('p', { role: 'status', class: 'said' });
  const name = element('input', { id: 'set-name', value: 'mine', required: true, maxlength: '200' });
  const scope = element('input', { id: 'set-scope', maxlength: '1000', placeholder: 'all' });
  const rules = element('textarea', { id: 'set-rules', rows: '10', spellcheck: 'false', 'aria-describedby': 'set-hint', oninput: () => check() });
  rules.value = example;
  let asked = 0;
  async function check() {
    const mine = ++asked;
    await new Promise((wake) => setTimeout(wake, 300));
    if (mine !== asked) return;
    try {
      await post('/overlays/check', JSON.parse(rules.value));
      if (mine === asked) said.textContent = 'It can be used.';
    } catch (error) {
      if (mine === asked) said.textContent = shown(error.message);
    }
  }
  const put = (event) => {
    event.preventDefault();
    const only = scope.value ? { scope: scope.value } : {};
    return act('/overlays', () => ({ set: name.value, ...only, overlays: JSON.parse(rules.value) }), `Set ${name.value} is on top.`);
  };
  /** Puts a set in that was posted before, as it was. */
  function show(set) {
    name.value = set.set;
    scope.value = set.scope ?? '';
    rules.value = JSON.stringify(set.overlays, null, 2);
    rules.focus();
    return check();
  }
  const place = element('form', { onsubmit: put, 'aria-label': 'Write a set' },
    element('p', { class: 'field' }, element('label', { for: 'set-name' }, 'Set'), ' ', name, ' ', element('label', { for: 'set-scope' }, 'Only for scope'), ' ', scope),
    element('p', { class: 'field' }, element('label', { for: 'set-rules' }, 'Overlays, as JSON'), rules),
    element('p', { id: 'set-hint', class: 'quiet' }, 'The members are those of docs/overlays.md, without file.'),
    said, element('p', {}, element('button', { type: 'submit' }, 'Put on top')));
  return { place, show };
}

export async function overlaysView(place, signal) {
  const { place: says, said } = status();
  const list = element('div');
  const change = async (set) => {
    const found = await said(get(`/overlays?set=${encodeURIComponent(set)}`), '');
    if (found === undefined) return;
    writing.open = true;
    await edited.show(found);
  };
  const act = async (path, object, words) => {
    await said((async () => post(path, typeof object === 'function' ? object() : object))(), words);
    await draw();
  };
  async function draw() {
    const { overlays } = await get('/overlays');
    if (signal.aborted) return;
    fill(list, overlays.length === 0
      ? element('p', { class: 'empty' }, 'No overlay yet. Open a request and choose how it is answered from now on, or write a set below.')
      : element('ul', { class: 'plain' }, overlays.map((overlay) => one(overlay, act, change))));
  }
  const edited = editor(act);
  const writing = element('details', {}, element('summary', {}, 'Write a set'), edited.place);
  const saved = () => said(text('/overlays?format=toml').then((toml) => save('overlays.toml', toml, 'application/toml')), 'Saved: give it to --overlay.');
  await draw();
  if (signal.aborted) return;
  fill(place, element('h2', {}, 'Overlays'), element('p', {}, button('Save as a file for --overlay', saved)), says, list,
    writing);
}
