// Creates the report of a failing test: the problems of its requests, remedies, and its last requests.

const shownRequests = 8;
const problems = ['miss', 'fallback', 'refused', 'broken', 'withheld', 'not recorded'];

export const isProblem = (entry) => problems.includes(entry.outcome) || [403, 502].includes(entry.status) || Boolean(entry.reason);

const line = (entry) => `  ${entry.outcome.padEnd(8)} ${entry.status}${entry.code ? ` code ${entry.code}` : ''} ${entry.key}`;

const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns what lets a test pass: `remedy` are options of `exec` that help (docs/control-api.md), `runner` runs the test. */
export function remedyLines({ remedy, renames }, cassettes, runner) {
  const words = ['npx', 'tapedeck', 'exec', ...remedy, ...(cassettes.length > 0 ? cassettes : ['CASSETTE']), '--', ...runner];
  const line = `${remedy[0] === '--mode' ? 'record this test' : 'replay with other options'}: ${words.map(shellWord).join(' ')}`;
  return renames ? [`if this test was renamed: ${renames[0]}`, `otherwise ${line}`] : [line];
}

const whole = (entry, hints) => [line(entry), ...[entry.reason, ...hints].filter(Boolean).map((text) => `      ${text}`)];

const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;

/** `entries` are those of one scope, in order; `hintsOf` resolves to the lines of a remedy for one of them. */
export async function report(entries, scope, hintsOf) {
  const misses = entries.filter((entry) => entry.outcome === 'miss');
  const lines = [`Tapedeck: ${many(entries.length, 'request', 'requests')} in the scope "${scope}", ${many(misses.length, 'miss', 'misses')}`];
  const wrong = entries.filter(isProblem).slice(-shownRequests);
  if (wrong.length > 0) lines.push('problems:');
  const said = new Set(); // each hint is shown once
  for (const entry of wrong) {
    const hints = (await hintsOf(entry)).filter((hint) => !said.has(hint));
    lines.push(...whole(entry, hints));
    hints.forEach((hint) => said.add(hint));
  }
  if (entries.length > 0) lines.push('last requests:', ...entries.slice(-shownRequests).map(line));
  return lines.join('\n');
}
