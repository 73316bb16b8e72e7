// Shows overlays as cards: enables and disables them, checks edits while typing, saves them as a file.

import { caretPath } from './caret.js';
import { get, post, text } from './control.js';
import { breakable, button, element, emptyState, field, fill, notifyWhen, save, shown } from './elements.js';
import { fileName, many } from './format.js';
import { effectsSection } from './effects.js';
import { misfits } from './overlay_check.js';
import { overlayWords } from './words.js';

const example = JSON.stringify([{ call: 'Core.Share/*/list', error: 407, times: 1 }], null, 2);

function showHits(place, plays) {
  place.textContent = plays === 0 ? 'not used yet' : `used ${plays === 1 ? 'once' : plays === 2 ? 'twice' : `${plays.toLocaleString()} times`}`;
  place.classList.toggle('some', plays > 0);
  return place;
}

function card(overlay, act, change) {
  const { name, scope, set, file, line, enabled, plays } = overlay;
  const { does, when } = overlayWords(overlay);
  const place = set === undefined ? `${shown(fileName(file), 200)}, line ${line}` : `set ${shown(set, 200)}`;
  const toggle = element('button', {
    type: 'button', role: 'switch', class: 'switch', 'aria-checked': String(enabled), 'aria-label': `${shown(name, 200)} is on`,
    onclick: () => act('/overlays/enable', { name, enabled: !enabled }, `${name} is ${enabled ? 'off' : 'on'}.`),
  }, element('span', { class: 'knob' }));
  return element('li', { class: `card ${enabled ? '' : 'off'}` },
    element('div', { class: 'card-head' }, toggle, element('h3', {}, breakable(shown(does, 300))), showHits(element('span', { class: 'hits' }), plays)),
    when && element('p', {}, shown(`Only ${when}`, 300)),
    element('p', { class: 'quiet' }, [name !== overlay.call && name !== overlay.path && `“${shown(name, 200)}”`, place, scope && `scope ${shown(scope, 80)}`].filter(Boolean).join(', ')),
    set !== undefined && element('p', { class: 'buttons' },
      button('Edit', () => change(set), { 'aria-label': `Edit ${shown(set, 200)}` }),
      button('Delete', () => act('/overlays/delete', { set }, `Set ${set} is deleted.`), { 'aria-label': `Delete ${shown(set, 200)}` })));
}

/** Returns the body to post for the text: a JSON list, or the text of an overlay file. */
function rulesIn(text) {
  const isToml = /^\s*(#|\[\[\s*[a-z])/.test(text);
  return isToml ? { toml: text } : { overlays: JSON.parse(text) };
}

/** A text field for a set, checked while the user types. */
function editor(act) {
  const said = element('p', { role: 'status', class: 'said', id: 'set-said' });
  const name = element('input', { id: 'set-name', value: 'mine', required: true, maxlength: '200' });
  const scope = element('input', { id: 'set-scope', maxlength: '1000', placeholder: 'all' });
  const rules = element('textarea', { id: 'set-rules', rows: '12', spellcheck: 'false', 'aria-describedby': 'set-hint set-said', oninput: () => check() });
  rules.value = example;
  let asked = 0;
  const say = (words, isGood) => {
    said.textContent = shown(words, 600);
    said.classList.toggle('good', isGood);
    said.classList.toggle('bad', !isGood);
  };
  async function check() {
    const mine = ++asked;
    await new Promise((wake) => setTimeout(wake, 300));
    if (mine !== asked) return;
    try {
      const set = rulesIn(rules.value);
      const { overlays, warnings: differences } = await post('/overlays/check', { set: 'checked', ...set });
      const warnings = [...differences, ...await misfits(set.overlays ?? [])];
      if (mine === asked) say(warnings.length > 0 ? warnings.join('; ') : `Valid: ${many(overlays, 'overlay')}.`, warnings.length === 0);
    } catch (error) {
      if (mine === asked) say(error.message, false);
    }
  }
  const put = (event) => {
    event.preventDefault();
    const only = scope.value ? { scope: scope.value } : {};
    return act('/overlays', () => ({ set: name.value, ...only, ...rulesIn(rules.value) }), `Set ${name.value} is active.`);
  };
  /** Shows a set as it was posted. */
  function show(set) {
    name.value = set.set;
    scope.value = set.scope ?? '';
    rules.value = set.toml ?? JSON.stringify(set.overlays, null, 2);
    rules.focus();
    return check();
  }
  const place = element('form', { onsubmit: put, 'aria-label': 'Write a set' },
    element('div', { class: 'tools' }, field('Set', name), field('Only for scope', scope)),
    field('Overlays, as JSON or TOML', rules), caretPath(rules),
    element('p', { id: 'set-hint', class: 'quiet' }, 'Each overlay has a call and a response: error, data, patch, merge, delay, or fault. docs/mocking.md describes all members.'),
    said, element('p', {}, element('button', { type: 'submit', class: 'primary' }, 'Activate')));
  return { place, show };
}

export async function overlaysView(place, signal) {
  const list = element('div');
  const effects = effectsSection(() => draw());
  const change = async (set) => {
    const found = await notifyWhen(get(`/overlays?set=${encodeURIComponent(set)}`), '');
    if (found === undefined) return;
    writing.open = true;
    await edited.show(found);
  };
  const act = async (path, object, words) => {
    await notifyWhen((async () => post(path, typeof object === 'function' ? object() : object))(), words);
    drawn = ''; // a set may have other rules under the same names
    await draw();
  };
  let asked = 0;
  let drawn = '';
  /**
   * Draws the server's overlays. Keeps cards that differ only in their hits, because the user may be about to click
   * one.
   */
  async function draw() {
    const mine = ++asked;
    const { overlays, ...written } = await get('/overlays');
    if (signal.aborted || mine !== asked) return;
    effects.draw(written);
    const now = JSON.stringify(overlays.map(({ plays, ...rest }) => rest));
    if (now === drawn) {
      list.querySelectorAll('.hits').forEach((place, i) => showHits(place, overlays[i].plays));
      return;
    }
    drawn = now;
    fill(list, overlays.length === 0
      ? emptyState('No overlays yet', element('p', {}, 'An overlay replaces or changes a recorded response: an error, a delay, a dropped connection, or another value.'),
        element('p', {}, 'Open a request and choose ', element('em', {}, 'Mock this response'), ', write a set below, or start with ', element('code', {}, '--overlay FILE'), '.'))
      : element('ul', { class: 'cards' }, overlays.map((overlay) => card(overlay, act, change))));
  }
  const edited = editor(act);
  const writing = element('details', {}, element('summary', {}, 'Write a set'), edited.place);
  const saved = () => notifyWhen(text('/overlays?format=toml').then((toml) => save('overlays.toml', toml, 'application/toml')), 'Saved. Start with --overlay overlays.toml to use it.');
  const clock = setInterval(() => draw().catch(() => {}), 2000);
  signal.addEventListener('abort', () => clearInterval(clock));
  await draw();
  if (signal.aborted) return;
  fill(place, element('div', { class: 'pad' }, element('div', { class: 'view-head' }, element('h2', {}, 'Overlays'), button('Save as a file for --overlay', saved)), list, effects.place, writing));
}
