// Draws the requests of the last minutes as bars in time, with a lane for each session.

import { element, svg } from './elements.js';
import { className, many, needsAttention, title } from './format.js';
import { filter } from './search.js';
import { store } from './store.js';

const minutes = [1, 5, 15];
const mostLanes = 6;
const mostBars = 1500;
const lane = 12; // pixels
const widest = 10_000; // units of the drawing

/** `place` is shown by setShown(). A bar begins with the request and ends with the response; a click opens it. */
export function timeline(signal) {
  let span = 5;
  let isShown = false;
  const drawing = element('div', { class: 'timeline-drawing' });
  const said = element('p', { class: 'quiet' });
  const choose = element('select', { 'aria-label': 'Length of the timeline', onchange: () => { span = Number(choose.value); draw(); } }, minutes.map((value) => element('option', { value }, many(value, 'minute'))));
  const place = element('section', { class: 'timeline', 'aria-label': 'Timeline', hidden: true }, element('div', { class: 'timeline-head' }, said, choose), drawing);

  function draw() {
    if (!isShown || !store.state) return;
    const rows = (store.paused ?? store.rows).filter((row) => !row.gap && row.part === undefined && filter.fits(row));
    const end = store.paused && rows.length > 0 ? store.timeOf(rows.at(-1)) : Date.now();
    const begin = end - span * 60_000;
    const found = rows.filter((row) => store.timeOf(row) >= begin).slice(-mostBars);
    const names = [...new Set(found.map(({ scope, session }) => scope || session || ''))];
    const laneOf = new Map(names.map((name, i) => [name, Math.min(i, mostLanes - 1)]));
    const count = Math.max(1, Math.min(names.length, mostLanes));
    const x = (ms) => ((ms - begin) / (end - begin)) * widest;
    const bars = found.map((row) => {
      const until = store.timeOf(row);
      const from = Math.max(begin, until - (row.duration_us ?? 0) / 1000);
      return svg('a', { href: `#/requests/${row.number}`, tabindex: '-1' }, svg('title', {}, `${row.number} ${title(row)}: ${row.outcome}`),
        svg('rect', { x: x(from), y: laneOf.get(row.scope || row.session || '') * lane + 2, width: Math.max(widest / 500, x(until) - x(from)), height: lane - 3, class: `${className(row.outcome)} ${needsAttention(row) ? 'loud' : ''}` }));
    });
    choose.value = String(span);
    said.textContent = found.length === 0 ? `No requests in the last ${many(span, 'minute')}` : `${many(found.length, 'request')} in ${many(names.length, 'session')}, the newest at the right`;
    drawing.replaceChildren(svg('svg', { viewBox: `0 0 ${widest} ${count * lane}`, preserveAspectRatio: 'none', height: count * lane, role: 'img', 'aria-label': `Timeline: ${said.textContent}` }, bars));
  }
  const clock = setInterval(draw, 1000);
  signal.addEventListener('abort', () => clearInterval(clock));
  return {
    place,
    setShown: (on) => {
      isShown = on;
      place.hidden = !on;
      draw();
    },
  };
}
