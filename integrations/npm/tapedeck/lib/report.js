// Creates the report of a failing test: the problems of its requests, remedies, and its last requests.

const shownRequests = 8;
const problems = ['miss', 'fallback', 'refused', 'broken', 'withheld', 'not recorded'];

export const isProblem = (entry) => problems.includes(entry.outcome) || [403, 502].includes(entry.status) || Boolean(entry.reason);

const line = (entry) => `  ${entry.outcome.padEnd(8)} ${entry.status}${entry.code ? ` code ${entry.code}` : ''} ${entry.key}`;

const whole = (entry, hint) => [line(entry), ...[entry.reason, hint].filter(Boolean).map((text) => `      ${text}`)];

const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;

/** `entries` are those of one scope, in order; `hintOf` resolves to a remedy for one of them. */
export async function report(entries, scope, hintOf) {
  const misses = entries.filter((entry) => entry.outcome === 'miss');
  const lines = [`Tapedeck: ${many(entries.length, 'request', 'requests')} in the scope "${scope}", ${many(misses.length, 'miss', 'misses')}`];
  const wrong = entries.filter(isProblem).slice(-shownRequests);
  if (wrong.length > 0) lines.push('problems:');
  for (const entry of wrong) lines.push(...whole(entry, await hintOf(entry)));
  if (entries.length > 0) lines.push('last requests:', ...entries.slice(-shownRequests).map(line));
  return lines.join('\n');
}
