// A menu that holds the responses to a call until somebody lets them go.

import { post } from './control.js';
import { button, element, field, notifyWhen } from './elements.js';
import { menu } from './menu.js';

const set = 'hold';

export function holdForm() {
  const call = element('input', { id: 'hold-call', value: '*/*/*', required: true, spellcheck: 'false' });
  const submit = async (event) => {
    event.preventDefault();
    const pattern = call.value.split('/').length === 2 ? call.value.replace('/', '/*/') : call.value;
    if (await notifyWhen(post('/overlays', { set, overlays: [{ name: `hold ${call.value}`, call: pattern, hold: true }] }), `Responses to ${call.value} wait here from now on.`)) made.close();
  };
  const stop = async () => {
    await notifyWhen(post('/overlays/delete', { set }).catch((error) => { if (error.status !== 404) throw error; }).then(() => post('/held/release', { all: true })), 'Nothing is held any more.');
    made.close();
  };
  const made = menu('Hold …', [element('form', { onsubmit: submit, 'aria-label': 'Hold responses' },
    element('p', {}, 'The responses to these calls wait until you let them go, change them, or break them.'),
    field('Call', call), element('p', { class: 'quiet' }, 'Such as Core.Share/list; * matches any.'),
    element('p', { class: 'buttons' }, element('button', { type: 'submit', class: 'primary' }, 'Hold from now on'), button('Stop holding', stop)))]);
  return made;
}
