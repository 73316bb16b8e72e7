// Draws the responses of a sequence as small bars. The height is the size, and replayed ones are filled.

import { svg } from './elements.js';
import { size } from './format.js';

const height = 18; // pixels
const step = 5;
const most = 60; // bars

export function sparkline(answers) {
  const some = answers.slice(0, most);
  const largest = Math.max(1, ...some.map(({ bytes }) => bytes));
  const bars = some.map(({ bytes, played, code, completeness }, i) => {
    const tall = Math.max(3, Math.round((bytes / largest) * (height - 2)));
    const name = completeness !== 'complete' ? 'broken' : code ? 'failed' : '';
    return svg('rect', { x: i * step + 1, y: height - tall - 1, width: step - 2, height: tall, class: `${played ? 'played' : 'unplayed'} ${name}` });
  });
  const played = answers.filter((one) => one.played).length;
  const label = `${played} of ${answers.length} played, up to ${size(largest)}`;
  return svg('svg', { class: 'sparkline', width: some.length * step, height, role: 'img', 'aria-label': label }, svg('title', {}, label), bars);
}
