// Reads `GET /events`, the journal as it grows.

import { answered, headers } from './control.js';

/** Reads from number `from` on; calls `on(name, data)` for each event until the stream ends. */
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
