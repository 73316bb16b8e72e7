// Shows a recording: stored, withheld, and broken interactions; secrets; marks; finishing.

import { get, post } from './control.js';
import { button, element, emptyState, fill, notifyWhen, save, table } from './elements.js';
import { harOf } from './har.js';
import { store } from './store.js';

const words = {
  requests: 'Requests', recorded: 'Stored', scrubbed: 'With redactions', withheld: 'Withheld', broken: 'Broken',
  not_recorded: 'Not recorded', blocked: 'Blocked', refused: 'Refused', stored: 'Stored',
};
const troubles = ['withheld', 'broken', 'not_recorded', 'refused'];

const tile = ([name, count]) => element('div', { class: `tile ${troubles.includes(name) && count > 0 ? 'trouble' : ''}` }, element('dt', {}, words[name] ?? name), element('dd', {}, String(count)));

export async function recordingView(place, signal) {
  const counts = element('dl', { class: 'tiles' });
  const learned = element('div');
  const suspects = element('div');
  const progress = element('p', { role: 'status', class: 'quiet' });
  const name = element('input', { id: 'mark-name', required: true, maxlength: '200', placeholder: 'before the update' });
  const mark = async (event) => {
    event.preventDefault();
    if (await notifyWhen(post('/mark', { name: name.value }), `Marked: ${name.value}. tapedeck ls shows it.`)) name.value = '';
  };
  const finish = () => notifyWhen(post('/finish', {}), 'Finishing the recording. The terminal shows when the cassette is complete.');
  const search = () => notifyWhen(get('/suspects').then(({ searched, suspects: found }) => {
    fill(suspects, found.length === 0 ? element('p', { class: 'quiet' }, `No missed secrets found in the ${searched} stored requests.`)
      : table(['Request', 'Where', 'Rule'], found.map((one) => [element('a', { href: `#/requests/${one.number}` }, String(one.number)), one.place, [one.rule, one.via].filter(Boolean).join(' in ')]), 'Suspects'));
  }), '');
  const download = () => notifyWhen(harOf(store.rows, (done, of) => { progress.textContent = `${done} of ${of} requests`; }).then((made) => {
    save('recording.har', made.har, 'application/json');
    progress.textContent = `Saved ${made.kept} of ${made.all} requests without their secrets. To save all requests of a finished cassette, use tapedeck export -o FILE.har.`;
  }), '');

  function draw() {
    const { counters, learned: secrets = {} } = store.state;
    // The header counts the responses that are replayed during the recording.
    const own = store.isRecording ? Object.keys(counters) : ['stored', 'withheld', 'broken', 'not_recorded', 'blocked', 'refused'];
    fill(counts, own.map((name) => tile([name, counters[name]])));
    const classes = Object.entries(secrets);
    fill(learned, classes.length === 0 ? emptyState('No secrets yet', element('p', {}, 'The first login usually contains one. Secrets are replaced before anything is stored.'))
      : table(['Class', 'Values'], classes, 'Learned secrets'));
  }
  const again = setInterval(() => store.refresh().catch(() => {}), 1000);
  signal.addEventListener('abort', () => clearInterval(again));
  store.addEventListener('change', draw, { signal });
  fill(place, element('div', { class: 'pad' }, element('div', { class: 'view-head' }, element('h2', {}, 'Recording'), button('Finish the recording', finish, { class: 'primary' })), counts,
    element('form', { onsubmit: mark, class: 'tools' }, element('label', { for: 'mark-name' }, 'Mark this moment as'), name, element('button', { type: 'submit' }, 'Mark')),
    element('h2', {}, 'Learned secrets'), learned,
    element('h2', {}, 'Possible missed secrets'), element('p', {}, button('Search stored requests', search)), suspects,
    element('h2', {}, 'Archive'), element('p', {}, button('Download as HAR', download)), progress));
  if (store.state) draw();
}
