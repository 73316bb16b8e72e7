// While recording: what is stored, withheld and broken; secrets; marks; the end.

import { get, post } from './control.js';
import { button, element, facts, fill, save, status, table } from './elements.js';
import { harOf } from './har.js';
import { store } from './store.js';

const words = {
  requests: 'Requests', recorded: 'Stored', scrubbed: 'of these with redactions', withheld: 'Withheld', broken: 'Broken',
  not_recorded: 'Not recorded', blocked: 'Blocked',
};

export async function recordingView(place, signal) {
  const counts = element('div');
  const learned = element('div');
  const suspects = element('div');
  const { place: says, said } = status();
  const name = element('input', { id: 'mark-name', required: true, maxlength: '200', placeholder: 'before the update' });
  const mark = async (event) => {
    event.preventDefault();
    if (await said(post('/mark', { name: name.value }), `Marked: ${name.value}. tapedeck ls shows it.`)) name.value = '';
  };
  const finish = () => said(post('/finish', {}), 'The recording is being finished; the program says on its terminal when it is whole.');
  const search = () => said(get('/suspects').then(({ searched, suspects: found }) => {
    fill(suspects, found.length === 0 ? element('p', { class: 'empty' }, `Nothing in the ${searched} requests that are kept looks like a secret that was missed.`)
      : table(['Request', 'Where', 'Why'], found.map((one) => [element('a', { href: `#/requests/${one.number}` }, String(one.number)), one.place, [one.rule, one.via].filter(Boolean).join(' in ')]), 'Suspects'));
  }), '');

  const { place: archived, said: saidOfHar } = status();
  const download = () => saidOfHar(harOf(store.rows, (done, of) => { archived.textContent = `${done} of ${of} requests`; }).then((made) => {
    save('recording.har', made.har, 'application/json');
    return made;
  }), ({ kept, all }) => `Saved: ${kept} of ${all} requests, without their secrets. Of a finished cassette \`tapedeck export --har\` gives them all.`);

  function draw() {
    const { counters, learned: secrets = {} } = store.state;
    fill(counts, facts(Object.entries(counters).map(([key, value]) => [words[key] ?? key, String(value)])));
    const classes = Object.entries(secrets);
    fill(learned, classes.length === 0 ? element('p', { class: 'empty' }, 'None yet: a login teaches the first ones.')
      : table(['Class', 'Values'], classes, 'Learned secrets'));
  }
  const again = setInterval(() => store.refresh().catch(() => {}), 1000);
  signal.addEventListener('abort', () => clearInterval(again));
  store.addEventListener('change', draw, { signal });
  fill(place, element('h2', {}, 'Recording'), counts,
    element('form', { onsubmit: mark, class: 'tools' }, element('label', { for: 'mark-name' }, 'Mark this moment as'), name, element('button', { type: 'submit' }, 'Mark')),
    element('p', {}, button('Finish the recording', finish)), says,
    element('h2', {}, 'As an archive'), element('p', {}, button('Download as HAR', download)), archived,
    element('h2', {}, 'Learned secrets'), learned,
    element('h2', {}, 'What looks like a missed secret'), element('p', {}, button('Search what is kept', search)), suspects);
  if (store.state) draw();
}
