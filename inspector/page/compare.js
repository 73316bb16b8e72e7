// Compares two responses line by line: this one and the recorded one, or any two.

import { Body, jsonText } from './body.js';
import { all, get } from './control.js';
import { element, emptyState, field, fill, shown } from './elements.js';
import { many, title, unlabelled } from './format.js';
import { pins } from './pins.js';
import { store } from './store.js';

const mostLines = 2000;
const mostCells = 4_000_000; // of the table of common lines
const around = 3; // equal lines shown beside a difference

async function linesOf(answer, next) {
  const body = await new Body(answer, next).load(Infinity);
  const text = body.json === undefined ? body.pieces.map((piece) => piece.text ?? `<${piece.class ?? 'bytes'}>`).join('') : jsonText(body.json);
  return text.split('\n').slice(0, mostLines);
}

/** Returns `[[' ' | '-' | '+', line], …]` that turns the lines `a` into `b`. */
export function difference(a, b) {
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) ++begin;
  let end = 0;
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) ++end;
  const [left, right] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)];
  const same = (lines) => lines.map((line) => [' ', line]);
  const isLarge = left.length * right.length > mostCells;
  return [...same(a.slice(0, begin)), ...(isLarge ? [...left.map((line) => ['-', line]), ...right.map((line) => ['+', line])] : between(left, right)), ...same(a.slice(a.length - end))];
}

function between(a, b) {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i) {
    for (let k = b.length - 1; k >= 0; --k) {
      common[i * width + k] = a[i] === b[k] ? common[(i + 1) * width + k + 1] + 1 : Math.max(common[(i + 1) * width + k], common[i * width + k + 1]);
    }
  }
  const found = [];
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (i < a.length && k < b.length && a[i] === b[k]) {
      found.push([' ', a[i++]]);
      ++k;
    } else if (i < a.length && (k === b.length || common[(i + 1) * width + k] >= common[i * width + k + 1])) found.push(['-', a[i++]]);
    else found.push(['+', b[k++]]);
  }
  return found;
}

/** Leaves out long runs of equal lines. */
function shortened(lines) {
  const isNear = (i) => lines.slice(Math.max(0, i - around), i + around + 1).some(([sign]) => sign !== ' ');
  const kept = [];
  for (let i = 0; i < lines.length; ++i) {
    if (isNear(i)) kept.push(lines[i]);
    else if (kept.at(-1)?.[0] !== '…') kept.push(['…', '']);
  }
  return kept;
}

const names = { '-': 'only in the other', '+': 'only in this one' };

function view(lines) {
  const count = lines.filter(([sign]) => sign !== ' ').length;
  if (count === 0) return element('p', {}, 'The responses are equal.');
  return [element('p', { class: 'quiet' }, `${many(count, 'line')} differ; − is only in the other one, + only in this one.`),
    element('div', { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Differences' }, shortened(lines).map(([sign, line]) => element('div', { class: { '-': 'gone', '+': 'new', '…': 'skipped' }[sign] ?? '' },
      names[sign] && element('span', { class: 'unseen' }, `${names[sign]}: `), element('span', { class: 'sign', 'aria-hidden': 'true' }, sign === '-' ? '−' : sign), shown(line, 2000))))];
}

async function recorded(cassette, id) {
  const { answer } = await get(`/recordings?cassette=${cassette}&id=${id}`);
  return linesOf(answer);
}

async function requested(number) {
  const { answer } = await get(`/requests/${number}`);
  if (!answer) throw new Error(`The response to request ${number} is no longer stored.`);
  return linesOf(answer, async (from) => (await get(`/requests/${number}?from=${from}`)).answer.body);
}

/** Returns `[{text, lines}, …]`: the responses with which this one can be compared, the likeliest first. */
async function candidates({ entry, nearest = [] }) {
  const found = [];
  if (!store.isRecording) {
    const sequences = await all('/recordings', 'sequences');
    const keys = [entry.key, ...nearest.map(({ key }) => key)];
    for (const key of keys) {
      for (const { place, take, lane, scope, key: recordedKey } of sequences.filter((one) => unlabelled(one.key) === unlabelled(key)).slice(0, 3)) {
        const { answers } = await get(`/recordings?cassette=${place}&key=${encodeURIComponent(recordedKey)}&take=${take}&lane=${lane}${scope ? `&scope=${encodeURIComponent(scope)}` : ''}`);
        answers.slice(0, 20).forEach(({ id }, i) => found.push({ text: `recorded: ${recordedKey}${answers.length > 1 ? `, response ${i + 1}` : ''}`, lines: () => recorded(place, id) }));
      }
    }
  }
  const others = [...pins.rows.map((row) => ['pinned', row]), ...store.rows.filter((row) => row.key === entry.key && !row.gap).slice(-20).reverse().map((row) => ['request', row])];
  for (const [kind, row] of others) {
    if (row.number !== entry.number) found.push({ text: `${kind} ${row.number}: ${title(row)}, ${row.outcome}`, lines: () => requested(row.number) });
  }
  return found;
}

/** The tab that compares `seen`, a `GET /requests/N`. */
export function compareTab(seen) {
  const place = element('div');
  const start = async () => {
    const found = await candidates(seen);
    if (found.length === 0) return fill(place, emptyState('Nothing to compare with', element('p', {}, 'Pin another request, and open this tab again.')));
    const result = element('div', { role: 'status' });
    const choice = element('select', { id: 'compare-with', onchange: () => show() }, found.map(({ text }, i) => element('option', { value: i }, shown(text, 200))));
    const show = async () => {
      try {
        const [other, own] = await Promise.all([found[Number(choice.value)].lines(), requested(seen.entry.number)]);
        fill(result, view(difference(other, own)));
      } catch (error) {
        fill(result, element('p', { class: 'bad' }, shown(error.message, 300)));
      }
    };
    fill(place, field('Compare with', choice), result);
    return show();
  };
  start().catch((error) => fill(place, element('p', { class: 'bad' }, shown(error.message, 300))));
  return place;
}
