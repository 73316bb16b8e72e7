// Shows one line of the list.

import { button, element, shown } from './elements.js';
import { ago, className, date, duration, durationShare, errorName, parameterLine, size, titleParts } from './format.js';
import { store } from './store.js';

const justNow = 1000; // milliseconds

/** Returns the scope and the number of the session: "login fails#2 · 3". */
const who = ({ scope, session }) => [scope, session?.replace('session ', scope ? '' : 'session ')].filter(Boolean).map((part) => shown(part, 80)).join(' · ');

/** Returns the HTTP status if it adds to the error's name. */
const statusText = (row) => (row.code ? errorName(row) : row.status && row.status !== 200 ? String(row.status) : row.status ? '200' : '');

const cell = (name, ...children) => element('span', { class: name, role: 'cell' }, ...children);

function bar(us) {
  if (us === undefined) return null;
  const filled = element('span', { class: 'filled' });
  filled.style.setProperty('inline-size', `${durationShare(us)}%`);
  return element('span', { class: 'bar', 'aria-hidden': 'true' }, filled);
}

function callCell(item, toggle) {
  const { row, group } = item;
  const link = element('a', { class: 'call-link', href: `#/requests/${row.number}`, id: group.isOpen && !item.isInner ? null : `row-${row.number}` },
    titleParts(row).map(({ text, dim, strong }) => element(strong ? 'strong' : 'span', { class: dim ? 'dim' : null }, shown(text, 300))));
  const atEnd = row.of > 1 && row.position + 1 === row.of && !store.isRecording && element('span', { class: 'end', title: 'The sequence is at its end: --at-end decides what follows' }, 'end');
  const part = row.part === undefined ? null : element('span', { class: 'dim' }, `part ${row.part + 1} `);
  if (item.isInner || group.rows.length === 1) return cell('call', part, link, atEnd);
  const count = `× ${group.rows.length}`;
  return cell('call', part, link, button(count, () => toggle(group), {
    class: 'fold', 'aria-expanded': String(group.isOpen), 'aria-label': `${group.isOpen ? 'Hide' : 'Show'} ${group.rows.length} equal requests`,
  }), atEnd);
}

/** `toggle(group)` unfolds a line. */
export function line(item, toggle) {
  const { row } = item;
  if (row.gap) {
    return element('div', { class: 'row gap', role: 'row' }, element('span', { role: 'cell' }, `Requests ${row.gap.from} to ${row.gap.to} are no longer stored.`));
  }
  const at = store.timeOf(row);
  const isFresh = Date.now() - at < justNow;
  return element('div', { class: `row ${className(row.outcome)} ${item.isInner ? 'inner' : ''} ${isFresh ? 'fresh' : ''}`, role: 'row', title: row.reason ? shown(row.reason, 300) : null },
    cell('number', String(row.number)),
    cell('outcome', element('span', { class: 'badge' }, row.outcome)),
    callCell(item, toggle),
    cell('parameters', shown(parameterLine(row), 300)),
    cell(`status ${row.code ? 'failed' : ''}`, statusText(row)),
    cell('who', who(row)),
    cell('size', size(row.bytes)),
    cell('duration', duration(row.duration_us), bar(row.duration_us)),
    cell('time', element('time', { datetime: new Date(at).toISOString(), onpointerenter: ({ target }) => { target.title = date(at); } }, ago(at))));
}

/** Updates the relative time of a line. */
export function refreshTime(place) {
  const time = place.querySelector('time');
  if (time) time.textContent = ago(Date.parse(time.dateTime));
}

