// Writes the stored requests of a recording as HAR 1.2, for browsers' tools and for `tapedeck import`.

import { Body } from './body.js';
import { get } from './control.js';
import { store } from './store.js';

const atOnce = 8; // requests to the control port

/** Replaces a secret as `tapedeck export` does, by a value that no reader confuses with a placeholder. */
const redacted = (kind) => `redacted-${kind.toLowerCase().replaceAll('_', '-')}`;
const unmarked = (list) => list.map(({ name, value }) => ({ name, value: value.replace(/<([A-Z][A-Z_]+)>/g, (_, kind) => redacted(kind)) }));

/** Returns the content of a response: as text, or in base64 if it is binary. */
async function contentOf(number, answer) {
  const body = await new Body(answer, async (from) => (await get(`/requests/${number}?from=${from}`)).answer.body).load(Infinity);
  const content = { size: body.bytes, mimeType: value(answer.headers, 'content-type') };
  if (!body.isBinary) return { ...content, text: body.pieces.map((piece) => (piece.class ? redacted(piece.class) : piece.text)).join('') };
  return { ...content, encoding: 'base64', text: btoa(Array.from(body.data, (byte) => String.fromCharCode(byte)).join('')) };
}

const value = (list, name) => list.find((one) => one.name.toLowerCase() === name)?.value ?? '';

/**
 * Returns the target without the parameters that keys leave out, because they are secret or change with each request.
 */
function target({ entry, asked }) {
  if (!entry.api) return { query: [], url: store.state.url + (entry.key.split(/[ #]/)[1] ?? '/') };
  const parameters = unmarked(asked.parameters);
  const call = ['api', 'version', 'method'].map((name) => ({ name, value: entry[name] }));
  const query = [...call, ...parameters];
  return { query, url: `${store.state.url}${asked.path}?${query.map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(one.value)}`).join('&')}` };
}

async function entryOf(row) {
  const seen = await get(`/requests/${row.number}`);
  if (!seen.asked || !seen.answer) return null;
  const { entry, asked, answer } = seen;
  const content = await contentOf(row.number, answer);
  const { query, url } = target(seen);
  const took = (entry.duration_us ?? 0) / 1000;
  return {
    startedDateTime: new Date(store.startedAt + entry.at_us / 1000 - took).toISOString(),
    time: took,
    request: { method: entry.verb ?? 'GET', url, httpVersion: 'HTTP/1.1', cookies: [], headers: unmarked(asked.headers), queryString: query, headersSize: -1, bodySize: -1 },
    response: {
      status: answer.status, statusText: answer.reason, httpVersion: 'HTTP/1.1', cookies: [], headers: unmarked(answer.headers),
      content, redirectURL: value(answer.headers, 'location'), headersSize: -1, bodySize: answer.body.bytes,
    },
    cache: {},
    timings: { send: 0, wait: took, receive: 0 },
    comment: entry.outcome === 'recorded' ? '' : entry.outcome,
  };
}

/**
 * Returns `{har, kept, all}`: the archive's text, the number of requests in it, and the total number. Calls
 * `told(done, of)` repeatedly.
 */
export async function harOf(rows, told) {
  const wanted = rows.filter((row) => !row.gap && row.part === undefined);
  const entries = new Array(wanted.length).fill(null);
  let done = 0;
  let next = 0;
  const work = async () => {
    while (next < wanted.length) {
      const at = next++;
      entries[at] = await entryOf(wanted[at]).catch((error) => {
        if (error.status !== 404) throw error;
        return null;
      });
      told(++done, wanted.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const kept = entries.filter(Boolean);
  const log = { version: '1.2', creator: { name: 'tapedeck', version: store.state.version }, entries: kept };
  return { har: JSON.stringify({ log }), kept: kept.length, all: wanted.length };
}
