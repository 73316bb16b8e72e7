// Who is logged in, and starting anew.

import { all, post, Refused } from './control.js';
import { element, fill, shown } from './elements.js';

export async function sessionsView(place, signal) {
  const said = element('p', { role: 'status' });
  const act = (path, object, text) => async () => {
    try {
      await post(path, object);
      said.textContent = text;
    } catch (error) {
      said.textContent = shown(error.message);
    }
    await draw();
  };
  const buttons = (name) => [
    element('button', { type: 'button', 'aria-label': `Reset ${name}`, onclick: act('/sessions/reset', { name }, `${name} begins anew.`) }, 'Reset'),
    element('button', { type: 'button', 'aria-label': `Drop ${name}`, onclick: act('/sessions/drop', { name }, `${name} is forgotten.`) }, 'Drop'),
  ];
  const list = element('div');
  async function draw() {
    try {
      const sessions = await all('/sessions', 'sessions');
      if (signal.aborted) return;
      fill(list, sessions.length === 0
        ? element('p', { class: 'empty' }, 'Nobody has logged in yet, and no client brought an id along.')
        : element('ul', { class: 'sessions' }, sessions.map(({ name, kind, ended }) => element('li', {},
            element('strong', {}, shown(name, 200)), ` ${kind}${ended ? ', ended' : ''} `, ...buttons(name)))));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fill(list, element('p', { class: 'empty' }, error.status === 404 ? 'While recording, sessions are the device’s own.' : shown(error.message)));
    }
  }
  fill(place,
    element('h2', {}, 'Sessions'),
    element('p', {},
      element('button', { type: 'button', onclick: act('/sessions/reset', { all: true }, 'All sessions begin anew.') }, 'Reset all'), ' ',
      element('button', { type: 'button', onclick: act('/sessions/drop', { all: true }, 'All sessions are forgotten.') }, 'Drop all')),
    said, list);
  await draw();
}
