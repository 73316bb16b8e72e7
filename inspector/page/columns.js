// Defines the columns of the list: their headings, and their widths, which users can change.

import { element } from './elements.js';
import { handle } from './drag.js';

const smallest = 32; // pixels

/** `width` is a CSS track; a changed one is in pixels and stays for the tab. */
const columns = [
  { name: 'number', head: '#', width: '3.25rem' },
  { name: 'outcome', head: 'Outcome', width: '5.75rem' },
  { name: 'call', head: 'Call', width: 'minmax(11rem, 3fr)' },
  { name: 'parameters', head: 'Parameters', width: 'minmax(4rem, 2fr)' },
  { name: 'status', head: 'Status', width: '10.5rem' },
  { name: 'who', head: 'Session', width: '7rem' },
  { name: 'size', head: 'Size', width: '4.5rem' },
  { name: 'duration', head: 'Duration', width: '7rem' },
  { name: 'time', head: 'Ago', width: '3.75rem' },
];
const changed = new Map();

/** The row of headings; widths are set on `place` as `--w-NAME`. */
export function headings(place) {
  const apply = () => columns.forEach(({ name, width }) => place.style.setProperty(`--w-${name}`, changed.get(name) ?? width));
  const head = element('div', { class: 'row head', role: 'row', 'aria-rowindex': '1' }, columns.map(({ name, head: text }) => {
    const cell = element('span', { class: name, role: 'columnheader' }, element('span', { class: 'text' }, text));
    cell.append(handle(`Width of ${text === '#' ? 'Number' : text}`, {
      read: () => cell.getBoundingClientRect().width,
      write: (size) => {
        changed.set(name, `${Math.max(size, smallest)}px`);
        apply();
      },
    }));
    return cell;
  }));
  apply();
  return head;
}
