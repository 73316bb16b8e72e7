// Creates elements from responses. Text is only inserted as text.

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

export function size(bytes) {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${value.toFixed(unit > 2 ? 1 : 0)} ${units[unit]}`;
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function rows(body, lines) {
  body.replaceChildren(...lines.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))));
}

export function volume({ vol_path: path, desc, status, size: { total, used } }) {
  const share = Math.round((100 * used) / total);
  return element('li', { class: `card ${status}` },
    element('strong', {}, desc || path),
    element('span', { class: 'state' }, status),
    element('meter', { min: 0, max: 100, high: 85, value: share, 'aria-label': `${share} % used` }),
    element('span', {}, `${size(used)} of ${size(total)}`));
}

/** Draws a line through values from 0 to 100. */
export function line(svg, values) {
  const step = 300 / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${i * step},${80 - value * 0.8}`).join(' ');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  path.setAttribute('points', points);
  svg.replaceChildren(path);
  svg.setAttribute('aria-label', `Processor load, ${values.at(-1)} % now`);
}
