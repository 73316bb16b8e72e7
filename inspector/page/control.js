// Calls the control API for the page. The token is sent in a header, never in an address.

const key = 'tapedeck-token';

/** Removes the token from the address bar and keeps it for this tab. */
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

/** The headers of a request to the control API. */
export function headers(more = {}) {
  return { 'X-Tapedeck-Token': sessionStorage.getItem(key) ?? '', ...more };
}

/** The object of a response; throws Refused for an error. */
export async function answered(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `status ${response.status}`);
  return body;
}

export const get = async (path) => answered(await fetch(path, { headers: headers() }));

/** The response as text, for files to save. */
export async function text(path) {
  const response = await fetch(path, { headers: headers() });
  if (!response.ok) await answered(response);
  return response.text();
}

export const post = async (path, object) =>
  answered(await fetch(path, { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }), body: JSON.stringify(object) }));

/** All pages of a list: `all('/unused', 'sequences')`. */
export async function all(path, member, most = 10_000) {
  const found = [];
  for (let from = 0; from !== undefined && found.length < most;) {
    const piece = await get(`${path}?from=${from}&limit=1000`);
    found.push(...piece[member]);
    from = piece.next;
  }
  return found;
}
