// Says in words what an overlay or an effect does.

import { errorCodes } from './format.js';

const faults = {
  reset: 'the connection is reset', close: 'the connection is closed without a response', cut: 'the response breaks off', hang: 'no response comes', garbage: 'bytes that are not HTTP come', empty: 'only headers come',
};
const later = (text) => (text === 'recorded' ? 'after the recorded time' : `${text.replace(/(?<=\d)(?=[a-z])/, ' ')} later`);

/** "Core.Share/*\/list" without its version if it is any, and "GET /x" as it is. */
export const callText = (call) => call.replace(/^([^/ ]+)\/\*\/([^/]+)$/, '$1/$2');

/** Returns "error 105, no permission". */
export function errorText(error, api) {
  const code = typeof error === 'object' && error !== null ? error.code : error;
  const meaning = errorCodes(api).find(([known]) => Number(known) === code)?.[1];
  return meaning ? `error ${code} (${meaning})` : `error ${code}`;
}

/** Returns what one response to the call `name` is: "error 105 (no permission) for Core.Share/list, 700 ms later". */
function response(rule, api, name) {
  const parts = [];
  if (rule.error !== undefined) parts.push(errorText(rule.error, api));
  if (rule.data !== undefined) parts.push('other data');
  if (rule.json !== undefined) parts.push('another body');
  if (rule.file !== undefined) parts.push(`the file ${rule.file}`);
  if (Array.isArray(rule.patch)) parts.push(...rule.patch.slice(0, 3).map(({ op, path, value }) => `${path} ${op === 'remove' ? 'is removed' : op === 'add' ? `is added: ${JSON.stringify(value)}` : `becomes ${JSON.stringify(value)}`}`));
  else if (rule.patch !== undefined) parts.push('a patched body');
  if (rule.merge !== undefined) parts.push('a changed body');
  if (rule.status !== undefined) parts.push(`HTTP status ${rule.status}`);
  if (rule.headers !== undefined) parts.push('other headers');
  if (rule.fault !== undefined || rule.cut !== undefined) parts.push(faults[rule.fault ?? 'cut']);
  const when = [rule.delay !== undefined && later(rule.delay), rule.hold && 'once it is let go'].filter(Boolean);
  if (parts.length + when.length === 0) return '';
  return [parts.length > 0 ? `${parts.join(', ')} for ${name}` : `the response of ${name}`, ...when].join(', ');
}

/** Returns `{does, when}` for an overlay: "error 105 (no permission) for FileStation.List/list", "the first 2 requests". */
export function overlayWords({ call, path, rule = {} }) {
  const api = call?.split('/')[0];
  const name = callText(call ?? path ?? '');
  const each = (Array.isArray(rule.answers) ? rule.answers : [rule]).map((one) => response(one, api, name)).filter(Boolean);
  const does = each.join('; then ') || (rule.then === undefined ? name : `the state becomes “${rule.then}” after ${name}`);
  const when = [];
  for (const [name, value] of Object.entries(rule.params ?? {})) when.push(value === '*' ? `any ${name}` : `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  if (rule.account !== undefined) when.push(`account ${rule.account}`);
  if (rule.state !== undefined) when.push(`in the state “${rule.state}”`);
  if (rule.after !== undefined) when.push(`after ${callText(rule.after)}`);
  const requests = (count) => (count === 1 ? 'request' : `${count} requests`);
  if (rule.times) when.push(rule.skip ? `the ${requests(rule.times)} after the first ${rule.skip}` : `the first ${requests(rule.times)}`);
  else if (rule.skip) when.push(`after the first ${requests(rule.skip)}`);
  return { does: does.charAt(0).toUpperCase() + does.slice(1), when: when.join(', ') };
}
