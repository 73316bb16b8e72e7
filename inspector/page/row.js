// Shows one line of the list.

import { button, element, shown } from './elements.js';
import { ago, className, date, duration, durationShare, errorName, needsAttention, parameterLine, size, titleParts } from './format.js';
import { pins } from './pins.js';
import { store } from './store.js';

const justNow = 1000; // milliseconds

/** Returns the scope and the number of the session: "login fails#2 · 3". */
const who = ({ scope, session }) => [scope, session?.replace('session ', scope ? '' : 'session ')].filter(Boolean).map((part) => shown(part, 80)).join(' · ');

/** Returns the error of a call, or the HTTP status: calls have 200 even with an error. */
const statusText = (row) => (row.code && row.status < 400 ? errorName(row) : row.status ? String(row.status) : '');

const cell = (name, ...children) => element('span', { class: name, role: 'cell' }, ...children);

function bar(us) {
  if (us === undefined) return null;
  const filled = element('span', { class: 'filled' });
  filled.style.setProperty('inline-size', `${durationShare(us)}%`);
  return element('span', { class: 'bar', 'aria-hidden': 'true' }, filled);
}

/** Shows text in which `parts` are code. */
export const withCode = (text, most = 300) => text.split('`').map((part, i) => (i % 2 === 1 ? element('code', {}, shown(part, most)) : shown(part, most)));

/** Nests the parts, so that the first one that does not fit goes as a whole (list.css). */
function callParts(row) {
  const parts = titleParts(row).map(([name, text]) => [name, element(name === 'method' ? 'strong' : 'span', { class: name }, shown(text, 300))]);
  const of = (...names) => parts.filter(([name]) => names.includes(name)).map(([, made]) => made);
  if (!row.api) return of('path');
  return [...of('label'), element('span', { class: 'rest' }, of('front'), element('span', { class: 'tail' }, of('last', 'version', 'method')))];
}

function callCell(item, toggle) {
  const { row, group } = item;
  const link = element('a', { class: 'call-link', href: `#/requests/${row.number}`, id: item.isPinned || (group.isOpen && !item.isInner) ? null : `row-${row.number}` },
    callParts(row));
  const atEnd = row.of > 1 && row.position + 1 === row.of && !store.isRecording && element('span', { class: 'end', title: 'This was the last recorded response; --at-end decides what follows' }, 'last');
  const part = row.part === undefined ? null : element('span', { class: 'dim' }, `part ${row.part + 1} `);
  const pin = pins.has(row.number) && element('span', { class: 'pin', role: 'img', 'aria-label': 'pinned' }, '◆');
  if (item.isInner || item.isPinned || group.rows.length === 1) return cell('call', pin, part, link, atEnd);
  return cell('call', pin, part, link, button(`× ${group.rows.length}`, () => toggle(group), {
    class: 'fold', 'aria-expanded': String(group.isOpen), 'aria-label': `${group.isOpen ? 'Hide' : 'Show'} ${group.rows.length} equal requests`,
  }), atEnd);
}

/** Shows the reason of a row that needs attention, and then the parameters. */
function detailCell(row) {
  const reason = needsAttention(row) && row.reason && element('span', { class: 'reason' }, withCode(row.reason));
  const text = parameterLine(row);
  return cell('parameters', reason, reason && text && ' ', text && element('span', { class: 'dim' }, shown(text, 300)));
}

/** `toggle(group)` unfolds a line. */
export function line(item, toggle) {
  const { row } = item;
  if (row.gap) {
    return element('div', { class: 'row gap', role: 'row' }, element('span', { role: 'cell' }, `Requests ${row.gap.from} to ${row.gap.to} are no longer stored.`));
  }
  const at = store.timeOf(row);
  const isFresh = Date.now() - at < justNow;
  const kinds = [className(row.outcome), needsAttention(row) && 'loud', item.isInner && 'inner', isFresh && 'fresh'].filter(Boolean).join(' ');
  return element('div', { class: `row ${kinds}`, role: 'row', title: row.reason ? shown(row.reason, 300) : null },
    cell('number', String(row.number)),
    cell('outcome', element('span', { class: 'badge' }, row.outcome)),
    callCell(item, toggle),
    detailCell(row),
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
