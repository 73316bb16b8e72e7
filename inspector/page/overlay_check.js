// Checks the patches of a set against the recordings: a path that the recorded response lacks causes a miss.

import { all, get } from './control.js';
import { unlabelled } from './format.js';

const most = 20; // patches that are looked at

/**
 * Returns true if `Core.Share/1/list` matches the key `SVC.Core.Share/1/list?limit=5`. Patterns with * are not
 * checked.
 */
const isFor = (call, key) => {
  const [name] = key.split('?');
  return name === call || unlabelled(name) === call;
};

/** Returns true if a JSON pointer leads to a value; an addition needs only its parent. */
function leads(value, { op, path }) {
  const keys = path.split('/').slice(1).map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (op === 'add') keys.pop();
  let at = value;
  for (const key of keys) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}

async function recordedResponse({ place, key, take, lane, scope }) {
  const sequence = `/recordings?cassette=${place}&key=${encodeURIComponent(key)}&take=${take}&lane=${lane}${scope ? `&scope=${encodeURIComponent(scope)}` : ''}`;
  const { answers } = await get(sequence);
  const { answer } = await get(`/recordings?cassette=${place}&id=${answers[0].id}`);
  return JSON.parse(answer.body.pieces.map(({ text }) => text).join(''));
}

/** Returns a line for each patch whose path a recorded response of that call lacks. */
export async function misfits(rules) {
  const patches = rules.filter(({ call, patch }) => typeof call === 'string' && !call.includes('*') && Array.isArray(patch)).slice(0, most);
  if (patches.length === 0) return [];
  const sequences = await all('/recordings', 'sequences');
  const lines = [];
  for (const { call, patch } of patches) {
    const found = sequences.find(({ key }) => isFor(call, key));
    if (!found) {
      lines.push(`${call} is not recorded: the patch has nothing to change`);
      continue;
    }
    const value = await recordedResponse(found).catch(() => undefined);
    if (value === undefined) continue; // no JSON, or too long
    for (const one of patch) {
      if (typeof one.path === 'string' && !leads(value, one)) lines.push(`the recorded response of ${call} has no ${one.path}`);
    }
  }
  return lines;
}
