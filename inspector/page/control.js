// The control API as the page uses it: one token, in a header, never in an address.

const key = 'tapedeck-token';

/** Takes the token out of the address bar and keeps it for this tab. */
export function takeToken() {
  const given = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, '', '/#/requests');
  }
  return sessionStorage.getItem(key) !== null;
}

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

function headers(more = {}) {
  return { 'X-Tapedeck-Token': sessionStorage.getItem(key) ?? '', ...more };
}

async function answered(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `status ${response.status}`);
  return body;
}

export const get = async (path) => answered(await fetch(path, { headers: headers() }));

export const post = async (path, object) =>
  answered(await fetch(path, { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }), body: JSON.stringify(object) }));

/** All pages of a list that is given in pieces: `each('/unused', 'sequences')`. */
export async function all(path, member, most = 10_000) {
  const found = [];
  for (let from = 0; from !== undefined && found.length < most;) {
    const piece = await get(`${path}?from=${from}&limit=1000`);
    found.push(...piece[member]);
    from = piece.next;
  }
  return found;
}

/** Reads `GET /events` from `from` on: calls `on(name, data)` for each event until it ends or `signal` does. */
export async function events(from, on, signal) {
  const response = await fetch(`/events?from=${from}`, { headers: headers(), signal });
  if (!response.ok) await answered(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const pieces = (rest + value).split('\n\n');
    rest = pieces.pop();
    for (const piece of pieces) {
      const name = /^event: (.*)$/m.exec(piece)?.[1];
      const data = /^data: (.*)$/m.exec(piece)?.[1];
      if (name && data) on(name, JSON.parse(data));
    }
  }
}
