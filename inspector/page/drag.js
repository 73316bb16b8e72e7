// Creates handles that change a width or height, with the pointer and with the arrow keys.

import { element } from './elements.js';

const step = 16; // pixels of an arrow key

/**
 * `read()` returns the present size in pixels, `write(size)` changes it. With `isReversed`, moving right or down
 * reduces it.
 */
export function handle(label, { isVertical = false, isReversed = false, read, write }) {
  const sign = isReversed ? -1 : 1;
  const set = (size) => {
    write(Math.round(size));
    made.setAttribute('aria-valuenow', String(Math.round(read())));
  };
  const along = (event) => (isVertical ? event.clientY : event.clientX);
  const down = (event) => {
    event.preventDefault();
    const [from, size] = [along(event), read()];
    const move = (moved) => set(size + sign * (along(moved) - from));
    made.setPointerCapture(event.pointerId);
    made.addEventListener('pointermove', move);
    made.addEventListener('lostpointercapture', () => made.removeEventListener('pointermove', move), { once: true });
  };
  const key = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(read() + sign * by * step);
  };
  const made = element('span', {
    class: `handle ${isVertical ? 'vertical' : ''}`, role: 'separator', tabindex: '0', 'aria-label': label, 'aria-valuenow': '0',
    'aria-orientation': isVertical ? 'horizontal' : 'vertical', onpointerdown: down, onkeydown: key, onfocus: () => made.setAttribute('aria-valuenow', String(Math.round(read()))),
  });
  return made;
}
