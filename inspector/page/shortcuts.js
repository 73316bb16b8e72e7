// Handles keyboard shortcuts, and shows the dialog that lists them.

import { button, element, table } from './elements.js';
import { filter } from './search.js';

const list = [
  ['/', 'Search'], ['j or ↓', 'Next request'], ['k or ↑', 'Previous request'], ['Enter', 'Open the details of the request'],
  ['p', 'Pin the open request, or unpin it'], ['Esc', 'Close the details; in the search field, clear it'], ['?', 'This list'],
];
const searches = [['api:Core.Share', 'APIs with this text'], ['outcome:miss', 'recorded, overlay, builtin, fallback, miss, refused'], ['session:2', 'one session'], ['scope:login', 'scopes with this text'], ['status:403 code:119', 'status and error code'], ['-outcome:recorded', 'everything else']];

export function showHelp() {
  const dialog = element('dialog', { 'aria-label': 'Keyboard shortcuts' },
    element('h2', {}, 'Keyboard shortcuts'), table(['Key', 'What it does'], list.map(([key, does]) => [element('kbd', {}, key), does]), 'Shortcuts'),
    element('h2', {}, 'Search'), table(['Search', 'Finds'], searches.map(([text, does]) => [element('code', {}, text), does]), 'Search terms'),
    element('p', { class: 'buttons' }, button('Close', () => dialog.close())));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const isTyping = (target) => target.matches?.('input:not([type=checkbox]), textarea, select');

/** The open view's `key(event)` gets a key first, and returns true if it has handled it. */
export function startShortcuts(key) {
  document.getElementById('help').addEventListener('click', showHelp);
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const search = document.getElementById('search');
    if (isTyping(event.target)) {
      if (event.key !== 'Escape') return;
      if (event.target === search && event.target.value) {
        search.value = '';
        search.dispatchEvent(new Event('input'));
        if (!filter.isEmpty) filter.text = '';
      } else {
        event.target.blur();
      }
      event.preventDefault();
      return;
    }
    if (event.key === '/' && search) search.focus();
    else if (event.key === '?') showHelp();
    else if (!key(event)) return;
    event.preventDefault();
  });
}
