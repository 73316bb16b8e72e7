// A command that asks the same of this server.

import { store } from './store.js';

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Nothing secret is in a key; a session's id is none that the server knows, as `--auth lenient` takes it. */
export function curl({ api, version, method, key, verb, scope }) {
  const base = store.state.url;
  const header = scope ? ` -H ${quoted(`X-Tapedeck-Scope: ${encodeURI(scope).replaceAll('#', '%23').replace(/%23(\d+)$/, '#$1')}`)}` : '';
  if (!api) return `curl${header} ${verb === 'GET' ? '' : `-X ${verb} `}${quoted(base + (key.split(' ')[1] ?? '/'))}`;
  const params = key.includes('?') ? `&${key.slice(key.indexOf('?') + 1)}` : '';
  return `curl -G${header} ${quoted(`${base}/webapi/entry.cgi`)} -d ${quoted(`api=${api}&version=${version}&method=${method}${params}&_sid=any`)}`;
}
