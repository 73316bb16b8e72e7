// Shows a list with a panel beside it, or below it in a narrow window, while something is open.

import { element } from './elements.js';
import { handle } from './drag.js';

const narrow = matchMedia('(max-width: 900px)');
const smallest = 160; // pixels
const chosen = { width: null, height: null };

export function split(list, panel) {
  const place = element('div', { class: 'split' });
  const apply = () => {
    for (const [name, size] of Object.entries(chosen)) {
      if (size !== null) place.style.setProperty(`--panel-${name}`, `${size}px`);
    }
  };
  const resize = (name, whole) => ({
    isReversed: true,
    read: () => panel.getBoundingClientRect()[name],
    write: (size) => {
      chosen[name] = Math.min(Math.max(size, smallest), whole() - smallest);
      apply();
    },
  });
  const beside = handle('Width of the details', resize('width', () => place.clientWidth));
  const below = handle('Height of the details', { ...resize('height', () => place.clientHeight), isVertical: true });
  const arrange = () => {
    beside.hidden = panel.hidden || narrow.matches;
    below.hidden = panel.hidden || !narrow.matches;
    place.classList.toggle('open', !panel.hidden);
  };
  place.append(list, beside, below, panel);
  apply();
  arrange();
  narrow.addEventListener('change', arrange);
  return { place, arrange, end: () => narrow.removeEventListener('change', arrange) };
}
