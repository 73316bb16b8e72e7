// Shows what to do while there are no requests: the address, a request to try, a configuration of Vite, and the colors.

import { copyButton, element, shown, snippet } from './elements.js';
import { fileName } from './format.js';
import { store } from './store.js';

const meanings = {
  recorded: 'from the cassette', overlay: 'written by hand, or changed by an overlay', derived: 'changed by an earlier write', builtin: 'what every device does',
  fallback: 'generated from the specification', miss: 'nothing recorded matches', refused: 'Host or Origin is foreign',
};
const whileRecording = { recorded: 'stored in the cassette', withheld: 'stored without its body', broken: 'incomplete, never replayed', 'not recorded': 'lost' };

const legend = (colors) => element('dl', { class: 'legend', 'aria-label': 'Outcomes' }, Object.entries(colors).map(([name, text]) => element('div', { class: `row-like ${name.replace(' ', '-')}` }, element('dt', {}, element('span', { class: 'badge' }, name)), element('dd', {}, text))));

const vite = () => `import { tapedeck } from '@tapedeck/tapedeck/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [tapedeck({ cassette: '${fileName(store.state.cassettes?.[0] ?? 'nas.cassette')}' })],
});`;

export function firstRun() {
  const { url, device } = store.state;
  const isRecording = store.isRecording;
  return element('div', { class: 'first-run' },
    element('h3', {}, 'No requests yet'),
    element('p', {}, isRecording ? 'Point your client at this address instead of the device. Each response is stored without its secrets:' : 'Point your client at this address instead of the device:'),
    element('p', { class: 'address' }, element('code', {}, shown(url)), copyButton('Copy', url, { 'aria-label': 'Copy the address' }), device && element('span', { class: 'quiet' }, ` for ${shown(device, 120)}`)),
    element('h4', {}, 'Try it'),
    snippet(`curl '${url}/webapi/entry.cgi?api=SYNO.API.Info&version=1&method=query'`),
    !isRecording && [element('h4', {}, 'In vite.config.js'), snippet(vite())],
    element('h4', {}, 'What the colors mean'), legend(isRecording ? whileRecording : meanings));
}
