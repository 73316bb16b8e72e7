// Writes a request as a command or a test that repeats it.

import { fileName, unlabelled } from './format.js';
import { commentText, pythonText, scriptText, shellWord } from './quote.js';
import { store } from './store.js';

/**
 * Returns the path of `VERB /path`. Without a leading slash, the text after the base would become a part of the host.
 */
function pathOf(key) {
  const path = key.slice(key.indexOf(' ') + 1);
  return path.startsWith('/') ? path : '/';
}

/** The key has no secret; with `--auth lenient` any session id is accepted. */
function curl({ api, version, method, key, verb, scope }) {
  const base = store.state.url;
  const header = scope ? ` -H ${shellWord(`X-Tapedeck-Scope: ${encodeURI(scope).replaceAll('#', '%23').replace(/%23(\d+)$/, '#$1')}`)}` : '';
  if (!api) return `curl -g --path-as-is${header} ${verb === 'GET' ? '' : `-X ${shellWord(verb)} `}${shellWord(base + pathOf(key))}`;
  const params = key.includes('?') ? `&${key.slice(key.indexOf('?') + 1)}` : '';
  const how = !verb || verb === 'GET' ? '-G' : verb === 'POST' ? '' : `-X ${shellWord(verb)}`;
  return `curl ${[how, header.trim()].filter(Boolean).map((one) => `${one} `).join('')}${shellWord(`${base}/webapi/entry.cgi`)} -d ${shellWord(`api=${api}&version=${version}&method=${method}${params}&_sid=any`)}`;
}

/** `[[name, value], …]` of the request; redacted values become "any". */
function parameters({ entry, asked }) {
  const own = (asked?.parameters ?? []).map(({ name, value }) => [name, value.replace(/<[A-Z_]+(:\d+)?>/g, 'any')]);
  return [['api', entry.api], ['version', entry.version], ['method', entry.method], ...own, ['_sid', 'any']];
}

const cassette = () => fileName(store.state.cassettes?.[0] ?? 'nas.cassette');
const name = (entry) => `${unlabelled(entry.api)} ${entry.method}`;
const call = (entry) => `${unlabelled(entry.api)}/${entry.method}`;
const query = (seen, indent) => parameters(seen).map(([key, value]) => `${indent}${/^[A-Za-z_$][\w$]*$/.test(key) ? key : scriptText(key)}: ${scriptText(value)},`).join('\n');
const expected = ({ code }) => (code ? `{ success: false, error: { code: ${code} } }` : '{ success: true }');

function playwright(seen) {
  const { entry } = seen;
  return `import { expect, test } from '@tapedeck/tapedeck/playwright';

test.use({ tapedeck: { cassette: ${scriptText(cassette())} } });

test(${scriptText(name(entry))}, async ({ request, tape }) => {
  const response = await request.get(\`\${tape.url}/webapi/entry.cgi\`, {
    params: {
${query(seen, '      ')}
    },
  });
  expect(await response.json()).toMatchObject(${expected(entry)});
  await tape.assertCalled(${scriptText(call(entry))}, { count: 1 });
});
`;
}

function vitest(seen) {
  const { entry } = seen;
  return `import { expect } from 'vitest';
import { tapedeckTest } from '@tapedeck/tapedeck/vitest';

const test = tapedeckTest({ cassette: ${scriptText(cassette())} });

test(${scriptText(name(entry))}, async ({ tape }) => {
  const query = new URLSearchParams({
${query(seen, '    ')}
  });
  const response = await fetch(\`\${tape.url}/webapi/entry.cgi?\${query}\`);
  expect(await response.json()).toMatchObject(${expected(entry)});
  await tape.assertCalled(${scriptText(call(entry))}, { count: 1 });
});
`;
}

function pytest(seen) {
  const { entry } = seen;
  const test = `${unlabelled(entry.api)}_${entry.method}`.toLowerCase().replace(/\W+/g, '_');
  return `# pytest --tapedeck-cassette ${commentText(shellWord(cassette()))}
import json
from urllib.parse import urlencode
from urllib.request import urlopen


def test_${test}(tape):
    query = urlencode({
${parameters(seen).map(([key, value]) => `        ${pythonText(key)}: ${pythonText(value)},`).join('\n')}
    })
    with urlopen(f"{tape.url}/webapi/entry.cgi?{query}", timeout=20) as response:
        body = json.load(response)
    assert body["success"] is ${entry.code ? 'False' : 'True'}${entry.code ? `\n    assert body["error"]["code"] == ${entry.code}` : ''}
    tape.assert_called(${pythonText(call(entry))}, count=1)
`;
}

/** Returns `[[label, text], …]`: the formats in which `seen`, a `GET /requests/N`, can be copied. */
export function forms(seen) {
  const { entry } = seen;
  const command = [['curl', () => curl(entry)]];
  return entry.api && entry.part === undefined && entry.outcome !== 'refused' ? [...command, ['Playwright', () => playwright(seen)], ['Vitest', () => vitest(seen)], ['pytest', () => pytest(seen)]] : command;
}
