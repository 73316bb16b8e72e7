// Defines the columns of the list: their headings, and their widths, which users can change.

import { button, element } from './elements.js';
import { handle } from './drag.js';
import { sortable, sorting } from './sorting.js';

const smallest = 32; // pixels

/** `width` is a CSS track; a changed one is in pixels and stays for the tab. */
const columns = [
  { name: 'number', head: '#', width: '3.25rem' },
  { name: 'outcome', head: 'Outcome', width: '6.25rem' },
  { name: 'call', head: 'Call', width: 'minmax(14rem, 3fr)' },
  { name: 'parameters', head: 'Parameters', width: 'minmax(8rem, 3fr)' },
  { name: 'status', head: 'Status', width: '10.5rem' },
  { name: 'who', head: 'Session', width: '7rem' },
  { name: 'size', head: 'Size', width: '4.5rem' },
  { name: 'duration', head: 'Duration', width: '7rem' },
  { name: 'time', head: 'Ago', width: '3.75rem' },
];
const changed = new Map();

/** The row of headings; widths are set on `place` as `--w-NAME`. */
export function headings(place, signal) {
  const apply = () => {
    place.classList.toggle('resized', changed.size > 0);
    columns.forEach(({ name, width }) => place.style.setProperty(`--w-${name}`, changed.get(name) ?? width));
  };
  const title = (name, text) => (sortable.includes(name) ? button(text, () => sorting.choose(name), { class: 'sorter', 'aria-label': `Sort by ${text === '#' ? 'number' : text.toLowerCase()}` }) : element('span', { class: 'text' }, text));
  const head = element('div', { class: 'row head', role: 'row', 'aria-rowindex': '1' }, columns.map(({ name, head: text }) => {
    const cell = element('span', { class: name, role: 'columnheader' }, title(name, text));
    cell.append(handle(`Width of ${text === '#' ? 'Number' : text}`, {
      read: () => cell.getBoundingClientRect().width,
      write: (size) => {
        changed.set(name, `${Math.max(size, smallest)}px`);
        apply();
      },
    }));
    return cell;
  }));
  const mark = () => {
    for (const cell of head.children) {
      const isChosen = cell.className === sorting.column && !sorting.isUsual;
      if (isChosen) cell.setAttribute('aria-sort', sorting.isDescending ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    }
  };
  sorting.addEventListener('change', mark, { signal });
  apply();
  mark();
  return head;
}
