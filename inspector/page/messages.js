// Shows the messages of a WebSocket, one in each row; JSON opens as a tree.

import { marks, unmarked } from './body.js';
import { element, fill, shown } from './elements.js';
import { duration, many, size } from './format.js';
import { isNode, redacted, Tree } from './tree.js';

/** The messages of a response; undefined for another response, and for one that is not stored whole. */
export function messagesOf(seen, body) {
  if (seen.answer?.status !== 101) return undefined;
  const list = body?.json;
  return Array.isArray(list) ? list : undefined;
}

const marked = (text) => marks(text).map(({ text: plain, kind }) => (kind ? redacted(kind) : shown(plain, Infinity)));
const bytesOf = (base64) => (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

/** The JSON in a message, behind the packet's type where it is one of socket.io. */
function jsonOf(text) {
  try {
    const value = JSON.parse(text.replace(/^\d+(-|\/[^,]*,)?\d*(?=[[{])/, ''));
    return isNode(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function line({ type, data = '', base64 = '', code, reason = '', withheld }) {
  if (withheld) return element('em', {}, `withheld: ${shown(withheld, 200)}`);
  if (type === 'binary') return element('em', {}, `${size(bytesOf(base64))} of bytes`);
  if (type === 'close') return element('em', {}, `closed${code ? ` with ${code}` : ''}${reason && `: ${shown(unmarked(reason), 200)}`}`);
  if (type === 'cut') return element('em', {}, shown(unmarked(reason), 200));
  return element('code', {}, data.length > 200 ? [marked(data.slice(0, 200)), '…'] : marked(data));
}

function content({ type, data = '', base64 = '' }) {
  if (type === 'binary') return element('pre', { class: 'raw' }, base64);
  const value = jsonOf(data);
  return value === undefined ? element('pre', { class: 'raw' }, marked(data)) : new Tree(value, marks, () => {}).place;
}

function row(message, number) {
  const isOfDevice = message.from === 'device';
  const head = [
    element('span', { class: 'quiet' }, number), element('span', { class: isOfDevice ? 'from-device' : 'from-client' }, isOfDevice ? '↓ device' : '↑ client'),
    element('span', { class: 'quiet' }, duration(message.at_us)), line(message)];
  if (message.withheld || (message.type !== 'text' && message.type !== 'binary')) return element('li', {}, element('div', { class: 'message' }, head));
  const place = element('div');
  const open = ({ target }) => target.open && place.childElementCount === 0 && fill(place, content(message));
  return element('li', {}, element('details', { ontoggle: open }, element('summary', { class: 'message' }, head), place));
}

export function messagesView(messages) {
  const rows = messages.map((message, i) => ({ text: unmarked(JSON.stringify(message.data ?? message.base64 ?? message.reason ?? '')).toLowerCase(), place: row(message, i + 1) }));
  const count = element('span', { role: 'status', class: 'quiet' }, many(messages.length, 'message'));
  const look = ({ target }) => {
    const wanted = target.value.toLowerCase();
    for (const { text, place } of rows) place.hidden = !text.includes(wanted);
    const found = rows.filter(({ place }) => !place.hidden).length;
    count.textContent = wanted ? `${found} of ${many(messages.length, 'message')}` : many(messages.length, 'message');
  };
  const input = element('input', { type: 'search', id: 'message-search', placeholder: 'Find in the messages', 'aria-label': 'Find in the messages', oninput: look });
  return [element('div', { class: 'tools' }, input, count), element('ol', { class: 'messages' }, rows.map(({ place }) => place))];
}
