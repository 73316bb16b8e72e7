// Shows the responses that wait (overlays with `hold`), changes them, and lets them go.

import { get, post } from './control.js';
import { button, element, field, fill, notifyWhen, shown } from './elements.js';
import { many, title } from './format.js';
import { bodyField, errorField, isEditable } from './response_fields.js';
import { store } from './store.js';

const often = 1000; // milliseconds

const seconds = (ms) => `${Math.round(ms / 1000)} s`;

/** A form that changes the response of one request before it goes. */
async function changeForm(number, release, close) {
  const { entry, answer } = await get(`/requests/${number}`);
  const inside = element('div');
  const kinds = {
    error: () => errorField(entry.api, `held-${number}`),
    status: () => {
      const input = element('input', { id: `held-${number}-status`, type: 'number', min: '200', max: '599', value: '500', required: true });
      return { controls: field('HTTP status', input), rule: () => ({ status: Number(input.value) }), isValid: () => true };
    },
    ...(isEditable(answer) && !answer.body.pieces.some((piece) => piece.class) && {
      body: () => {
        const made = bodyField(answer.body, `held-${number}`);
        return { ...made, rule: () => ({ body: made.rule().json }) };
      },
    }),
  };
  let made = kinds.error();
  const names = { error: 'an error', status: 'an HTTP status', body: 'an edited body' };
  const kind = element('select', { id: `held-${number}-kind`, onchange: () => { made = kinds[kind.value](); fill(inside, made.controls); } }, Object.keys(kinds).map((value) => element('option', { value }, names[value])));
  fill(inside, made.controls);
  const submit = (event) => {
    event.preventDefault();
    if (made.isValid()) release({ request: number, ...made.rule() }, 'Sent with the change.');
  };
  return element('form', { onsubmit: submit, class: 'patch', 'aria-label': `Change the response to request ${number}` },
    field('Respond with', kind), inside,
    element('p', { class: 'buttons' }, element('button', { type: 'submit', class: 'primary' }, 'Send'), button('Cancel', close)));
}

/** A section that is shown while responses wait. */
export function heldSection(signal) {
  const place = element('section', { class: 'held', 'aria-label': 'Waiting responses', hidden: true });
  const head = element('p', { role: 'status' });
  const list = element('ul', { class: 'plain' });
  const known = new Map();
  const release = async (what, words) => {
    await notifyWhen(post('/held/release', what), words);
    await look();
  };
  const everything = element('span', { class: 'buttons' }, button('Let all go', () => release({ all: true }, 'All were sent.')));
  place.append(element('div', { class: 'held-head' }, head, everything), list);

  function item({ request, overlay }) {
    const row = store.row(request);
    const form = element('div');
    const waits = element('span', { class: 'quiet' });
    const made = element('li', {}, element('div', { class: 'held-line' },
      element('a', { href: `#/requests/${request}` }, `${request} ${shown(row ? title(row) : 'request', 200)}`), waits,
      element('span', { class: 'buttons' },
        button('Let go', () => release({ request }, 'Sent.'), { class: 'primary', 'aria-label': `Let request ${request} go` }),
        button('Change …', async () => fill(form, await changeForm(request, release, () => fill(form))), { 'aria-label': `Change the response to request ${request}` }),
        button('Break', () => release({ request, fault: 'close' }, 'The connection was closed.'), { 'aria-label': `Break the connection of request ${request}` }))), form);
    return { made, waits, overlay };
  }

  async function look() {
    if (!store.state || store.isRecording || store.connection !== 'live') return;
    const { held, longest_ms: longest, most } = await get('/held');
    if (signal.aborted) return;
    place.hidden = held.length === 0;
    const text = held.length === 0 ? '' : `${many(held.length, 'response')} of at most ${most} ${held.length === 1 ? 'waits' : 'wait'}, each for at most ${seconds(longest)}`;
    if (head.textContent !== text) head.textContent = text;
    for (const [request, { made }] of known) {
      if (held.some((one) => one.request === request)) continue;
      made.remove();
      known.delete(request);
    }
    for (const one of held) {
      if (!known.has(one.request)) {
        known.set(one.request, item(one));
        list.append(known.get(one.request).made);
      }
      known.get(one.request).waits.textContent = `waits ${seconds(one.waiting_ms)}`;
    }
  }
  const clock = setInterval(() => look().catch(() => {}), often);
  signal.addEventListener('abort', () => clearInterval(clock));
  look().catch(() => {});
  return place;
}
