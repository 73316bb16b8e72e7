// Formats requests, sizes, and times as short text.

export const size = (bytes) => (bytes === undefined ? '' : bytes < 1024 ? `${bytes} B` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`);
export const duration = (us) => (us === undefined ? '' : us < 1000 ? `${us} µs` : us < 10_000 ? `${(us / 1000).toFixed(1)} ms` : us < 1_000_000 ? `${Math.round(us / 1000)} ms` : `${(us / 1_000_000).toFixed(1)} s`);

/** Percent of a duration bar, on a logarithmic scale from 100 µs to 10 s. */
export const durationShare = (us) => Math.round(Math.min(100, Math.max(4, ((Math.log10(Math.max(us, 1)) - 2) / 5) * 100)));

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
export const time = (ms) => clock.format(new Date(ms));
export const date = (ms) => day.format(new Date(ms));

/** "now", "12 s", "5 min", "3 h" or "2 d" before the present. */
export function ago(ms) {
  const seconds = Math.max(0, Math.floor((Date.now() - ms) / 1000));
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** "12 s ago", or "now". */
export const agoText = (ms) => (ago(ms) === 'now' ? 'now' : `${ago(ms)} ago`);

/** "1 request", "2 requests", "3 misses", "2 entries". */
export const many = (count, word) => `${count.toLocaleString()} ${count === 1 ? word : word.endsWith('s') ? `${word}es` : /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`}`;

/** All outcomes, those that need attention first. */
export const outcomes = ['miss', 'not recorded', 'broken', 'withheld', 'refused', 'fallback', 'derived', 'overlay', 'builtin', 'recorded'];
const loud = outcomes.slice(0, 6);
/** True for a row that somebody should look at. */
export const needsAttention = ({ outcome }) => loud.includes(outcome);

export const capitalized = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
export const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);
export const className = (outcome) => outcome.replaceAll(' ', '-');

/** Returns a call as `API/version/method`, and any other request as its key. */
export const title = ({ api, method, version, verb, key }) => (api ? `${api}/${version}/${method}` : key || verb || '');

/** An API without its first label, as rules and overlays name it. */
export const unlabelled = (api) => (api.includes('.') ? api.slice(api.indexOf('.') + 1) : api);

/** Returns the same text in parts `[class, text]`. Where it is narrow, the label goes first, and then the front of the API. */
export function titleParts(row) {
  if (!row.api) {
    const text = title(row);
    const end = text.indexOf('?');
    return [['path', end < 0 ? text : text.slice(0, end)]];
  }
  const name = unlabelled(row.api);
  const last = name.lastIndexOf('.') + 1;
  return [['label', row.api.slice(0, row.api.length - name.length)], ['front', name.slice(0, last)], ['last', name.slice(last)], ['version', `/${row.version}/`], ['method', row.method]].filter(([, text]) => text);
}

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The parameters of a key as one short line. */
export function parameterLine({ key = '' }) {
  const at = key.indexOf('?');
  return at < 0 ? '' : key.slice(at + 1).split('&').map(decoded).join('  ');
}

// Error codes that all APIs share, and those of a login (docs/device-notes.md).
const common = {
  100: 'unknown error', 101: 'api, method or version missing', 102: 'no such API', 103: 'no such method', 104: 'version not supported',
  105: 'no permission', 106: 'session timed out', 107: 'session displaced', 114: 'parameter missing', 117: 'busy', 118: 'busy',
  119: 'no session', 120: 'invalid parameter',
};
const login = {
  400: 'wrong account or password', 401: 'account disabled', 402: 'denied', 403: 'second factor needed', 404: 'wrong code',
  406: 'second factor enforced', 407: 'blocked', 408: 'password expired', 409: 'password expired', 410: 'password must be changed',
  411: 'account locked',
};

/** Returns `[[code, meaning], …]` of the errors that this API can have. */
export const errorCodes = (api) => Object.entries({ ...common, ...(api && unlabelled(api).startsWith('API.Auth') ? login : {}) });

/**
 * Returns text such as "119 no session", or only the code if the specification has no name for it. Empty for a
 * success.
 */
export function errorName({ code, api }) {
  if (!code) return '';
  const name = common[code] ?? (api && unlabelled(api).startsWith('API.Auth') ? login[code] : undefined);
  return name ? `${code} ${name}` : `error ${code}`;
}
