// Compares the reports of clients for each fault of an overlay: Node's fetch, Python's http.client, and Chromium, over
// http and https.
//   node faults.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import playwright from 'playwright-core';

import { Bench, chromium, environment, run } from './support.mjs';

const bench = new Bench(process.argv[2], process.argv[3]);
const faults = ['reset', 'close', 'cut', 'hang', 'garbage', 'empty'];
const file = join(bench.folder, 'faults.toml');
writeFileSync(file, faults.map((fault) => `[[overlay]]
call = "Core.${fault}/1/get"
fault = "${fault}"
${fault === 'cut' ? `data = "\\"${'x'.repeat(4000)}\\""` : ''}
`).join('\n'));

const plain = await bench.server('replay', '--overlay', file);
const secure = await bench.server('replay', '--overlay', file, '--tls');
const target = (fault) => `/webapi/entry.cgi?api=SVC.Core.${fault}&version=1&method=get`;
const patience = 1000; // milliseconds

/** Returns the error of `task` in words, or its result. */
async function outcome(task) {
  try {
    return await task();
  } catch (error) {
    return [error.name, error.cause?.code ?? error.cause?.name ?? '', error.message].join(' ');
  }
}

async function node(url) {
  const expected = {
    reset: /ECONNRESET|UND_ERR_SOCKET/,
    close: /UND_ERR_SOCKET|ECONNRESET/,
    cut: /terminated|UND_ERR/,
    hang: /TimeoutError/,
    garbage: /HPE_/,
    empty: /^$/,
  };
  for (const fault of faults) {
    const said = await outcome(async () => {
      const answer = await fetch(url + target(fault), { signal: AbortSignal.timeout(patience) });
      return answer.text();
    });
    assert.match(said, expected[fault], `${fault}: ${said}`);
  }
}

const script = `
import http.client, ssl, sys
from urllib.parse import urlsplit
base, fault, path = sys.argv[1:]
url = urlsplit(base)
if url.scheme == 'https':
    link = http.client.HTTPSConnection(url.netloc, timeout=1, context=ssl._create_unverified_context())
else:
    link = http.client.HTTPConnection(url.netloc, timeout=1)
try:
    link.request('GET', path)
    print(repr(link.getresponse().read()))
except Exception as error:
    print(type(error).__name__)
`;

function python(url) {
  const expected = {
    // Over https, OpenSSL may read the earlier tickets, and Python then reports only an end.
    reset: /^(ConnectionResetError|SSLError|SSLEOFError|RemoteDisconnected)$/,
    close: /^(RemoteDisconnected|SSLEOFError|ConnectionResetError)$/,
    cut: /^(IncompleteRead|SSLEOFError)$/,
    hang: /^(TimeoutError|timeout)$/,
    garbage: /^BadStatusLine$/,
    empty: /^b''$/,
  };
  for (const fault of faults) {
    const ran = spawnSync('python3', ['-c', script, url, fault, target(fault)], {
      encoding: 'utf8', env: environment(bench.folder), timeout: 20_000,
    });
    assert.match(ran.stdout.trim(), expected[fault], `${fault}: ${ran.stdout}${ran.stderr}`);
  }
}

async function browser(url) {
  const expected = {
    reset: /ERR_CONNECTION_RESET/,
    close: /ERR_EMPTY_RESPONSE|ERR_CONNECTION_CLOSED/,
    cut: /ERR_CONTENT_LENGTH_MISMATCH|ERR_CONNECTION_CLOSED/,
    hang: /TimeoutError|ERR_ABORTED|abort/i,
    garbage: /ERR_INVALID_HTTP_RESPONSE|ERR_EMPTY_RESPONSE/,
    empty: /^$/,
  };
  const window = await playwright.chromium.launch(chromium);
  try {
    const page = await window.newPage({ ignoreHTTPSErrors: true });
    let failure = '';
    page.on('requestfailed', (request) => (failure = request.failure().errorText));
    await page.goto(`${url}/webapi/entry.cgi?api=SVC.API.Info&version=1&method=query`);
    for (const fault of faults) {
      failure = '';
      const said = await page.evaluate(async ([path, ms]) => {
        try {
          return await (await fetch(path, { signal: AbortSignal.timeout(ms) })).text();
        } catch (error) {
          return `${error.name} ${error.message}`;
        }
      }, [target(fault), patience]);
      assert.match(failure || said, expected[fault], `${fault}: ${failure} ${said}`);
    }
  } finally {
    await window.close();
  }
}

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
await run(bench, {
  'Node over http': () => node(plain.url),
  'Node over https': () => node(secure.url),
  'Python over http': () => python(plain.url),
  'Python over https': () => python(secure.url),
  ...(existsSync(chromium.executablePath) ? {
    'Chromium over http': () => browser(plain.url),
    'Chromium over https': () => browser(secure.url),
  } : {}),
});
