// What a failing test shows: its misses, and what it asked last.

const shownRequests = 8;

const line = (entry) => {
  const outcome = entry.outcome.padEnd(8);
  const code = entry.code ? ` code ${entry.code}` : '';
  const reason = entry.outcome === 'miss' && entry.reason ? `\n      ${entry.reason}` : '';
  return `  ${outcome} ${entry.status}${code} ${entry.key}${reason}`;
};

const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;

/** `entries` are those of one scope, in order. */
export function report(entries, scope) {
  const misses = entries.filter((entry) => entry.outcome === 'miss');
  const last = entries.slice(-shownRequests);
  const lines = [`Tapedeck: ${many(entries.length, 'request', 'requests')} in the scope "${scope}", ${many(misses.length, 'miss', 'misses')}`];
  if (misses.length > 0) lines.push('misses:', ...misses.map(line));
  if (last.length > 0) lines.push('last requests:', ...last.map(line));
  return lines.join('\n');
}
