// Tests `tapedeck export` and `import` with their target programs: Chromium's and Playwright's HAR, the HAR schema,
// DuckDB, the TypeScript compiler.
//   node exchange.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { DuckDBInstance } from '@duckdb/node-api';
import playwright from 'playwright-core';

import { assertHar } from './har_schema.mjs';
import { account, Bench, chromium, environment, password, run } from './support.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const here = dirname(fileURLToPath(import.meta.url));
const bench = new Bench(process.argv[2], process.argv[3]);
const file = (name) => join(bench.folder, name);
/** The queries of docs/cassettes.md. */
const documented = [...readFileSync(join(here, '../../docs/cassettes.md'), 'utf8').matchAll(/```sql shown: [^\n]*\n([^`]+)```/g)].map(([, text]) => text);

/** Runs `tapedeck ARGUMENTS` to its end and returns its standard output. */
function tapedeck(...args) {
  const ran = spawnSync(bench.program, args, {
    encoding: 'utf8', env: environment(bench.folder), timeout: 60_000, maxBuffer: 1 << 28,
  });
  assert.equal(ran.status, 0, `tapedeck ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

const login = `api=SYNO.API.Auth&version=6&method=login&account=${account}&passwd=${encodeURIComponent(password)}`;
const network = 'api=SYNO.Core.Network&version=1&method=get';

/** Runs one session of a client over `base` and returns the bodies. */
async function session(base) {
  const get = async (query) => (await fetch(`${base}/webapi/entry.cgi?${query}`)).text();
  const { sid } = JSON.parse(await get(login)).data;
  const bodies = [];
  for (const query of [network, 'api=SYNO.Core.AppPortal&version=1&method=list&additional=%5B%22default_setting%22%5D',
    'api=SYNO.Core.SecurityScan.Status&version=1&method=rule_get&items=%22ALL%22', 'api=SYNO.No.Such&version=1&method=get']) {
    bodies.push(await get(`${query}&_sid=${sid}`));
  }
  await get(`api=SYNO.API.Auth&version=6&method=logout&_sid=${sid}`);
  return bodies;
}

/** Returns a recording of that session. */
async function recorded(name) {
  const device = await bench.device();
  const recorder = await bench.server('record', '--device', device.url, file(name));
  const bodies = await session(recorder.url);
  assert.equal(await bench.stop(recorder), 0, recorder.said);
  await bench.stop(device);
  return bodies;
}

/** Returns a hand-written HAR: `rows` of [path, type, body, milliseconds]. */
function archive(rows) {
  const entry = ([path, type, body, time = 5], at) => ({
    startedDateTime: new Date(Date.UTC(2026, 0, 1, 12, 0, at)).toISOString(),
    time,
    request: { method: 'GET', url: `http://nas.example${path}`, httpVersion: 'HTTP/1.1', cookies: [], headers: [],
      queryString: [], headersSize: -1, bodySize: 0 },
    response: { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', cookies: [],
      headers: [{ name: 'Content-Type', value: type }], content: { size: body.length, mimeType: type, text: body },
      redirectURL: '', headersSize: -1, bodySize: body.length },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  });
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'by hand', version: '1' }, entries: rows.map(entry) } });
}

const json = 'application/json; charset="UTF-8"';
const call = (api, method = 'get') => `/webapi/entry.cgi?api=SYNO.${api}&version=1&method=${method}`;
const ok = (data) => JSON.stringify({ data, success: true });
const failed = (code) => JSON.stringify({ error: { code }, success: false });

function imported(name, rows) {
  writeFileSync(file(`${name}.har`), archive(rows));
  tapedeck('import', file(`${name}.har`), '-o', file(`${name}.cassette`));
  return file(`${name}.cassette`);
}

const browser = await playwright.chromium.launch(chromium);
let device;

await run(bench, {
  ...Object.fromEntries([['with its bodies', 'chromium.har', 'embed'], ['with its bodies in files', 'attached/chromium.har', 'attach'], ['in a ZIP file, as by default', 'chromium.zip', undefined]].map(([name, archive, content]) => [`a HAR that Chromium recorded ${name} is imported and replays`, async () => {
    device = await bench.device();
    const context = await browser.newContext({ recordHar: { path: file(archive), ...(content && { content }) } });
    const page = await context.newPage();
    const seen = await page.goto(`${device.url}/webapi/entry.cgi?${login}`);
    const { sid } = JSON.parse(await seen.text()).data;
    const body = await (await page.goto(`${device.url}/webapi/entry.cgi?${network}&_sid=${sid}`)).text();
    await context.close();
    await bench.stop(device);
    const cassette = file(`${archive.replaceAll(/\W/g, '-')}.cassette`);
    tapedeck('import', file(archive), '-o', cassette);
    assert.ok(!readFileSync(cassette).includes(sid));
    const replay = await bench.server('replay', '--strict', cassette);
    const again = JSON.parse(await (await fetch(`${replay.url}/webapi/entry.cgi?${login}`)).text()).data.sid;
    const answer = await fetch(`${replay.url}/webapi/entry.cgi?${network}&_sid=${again}`);
    assert.equal(answer.headers.get('X-Tapedeck-Outcome'), 'recorded');
    assert.equal(await answer.text(), body);
    assert.equal(await bench.stop(replay), 0, replay.said);
  }])),
  'WebSocket connections are counted as such, and a file outside of the folder is not read': () => {
    const [entry] = JSON.parse(archive([[call('Core.Network'), json, ok({ ip: '192.0.2.1' })]])).log.entries;
    const socket = { ...entry, _webSocketMessages: [], request: { ...entry.request, url: 'ws://nas.example/socket' } };
    writeFileSync(file('secret.txt'), 'outside');
    mkdirSync(file('inside'));
    const outside = { ...entry, response: { ...entry.response, content: { size: 7, mimeType: 'text/plain', _file: '../secret.txt' } } };
    writeFileSync(file('inside/sockets.har'), JSON.stringify({ log: { version: '1.2', creator: { name: 'by hand', version: '1' }, entries: [entry, socket, socket, outside] } }));
    const ran = spawnSync(bench.program, ['import', file('inside/sockets.har'), '-o', file('sockets.cassette')], { encoding: 'utf8', env: environment(bench.folder) });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stderr, /skipped 2 WebSocket connections\n/);
    assert.match(ran.stderr, /1 entries lack their response or its body/);
    assert.doesNotMatch(ran.stderr, /other servers/);
  },
  'our HAR fits the HAR 1.2 schema, and imported again it has the same answers': async () => {
    const bodies = await recorded('schema.cassette');
    tapedeck('export', '--as', 'har', file('schema.cassette'), '-o', file('schema.har'));
    const text = readFileSync(file('schema.har'), 'utf8');
    assertHar(text);
    tapedeck('import', file('schema.har'), '-o', file('back.cassette'));
    const replay = await bench.server('replay', '--strict', file('back.cassette'));
    assert.deepEqual(await session(replay.url), bodies);
    assert.equal(await bench.stop(replay), 0, replay.said);
  },
  'Playwright serves a page from our HAR': async () => {
    const cassette = imported('page', [
      ['/app/', 'text/html', '<!doctype html><title>fixture</title><script src="/app/main.js"></script><p id="ip">'],
      ['/app/main.js', 'text/javascript',
        `fetch('${call('Core.Network')}').then((a) => a.json()).then((a) => { document.getElementById('ip').textContent = a.data.ip; });`],
      [call('Core.Network'), json, ok({ ip: '192.0.2.77' })],
    ]);
    tapedeck('export', '--as', 'har', '--base-url', 'http://nas.test', cassette, '-o', file('route.har'));
    const context = await browser.newContext();
    await context.routeFromHAR(file('route.har'), { notFound: 'abort' });
    const page = await context.newPage();
    await page.goto('http://nas.test/app/');
    await page.waitForFunction(() => document.getElementById('ip').textContent === '192.0.2.77');
    await context.close();
  },
  'DuckDB answers the three questions of the docs from the JSON lines of ten cassettes': async () => {
    const cassettes = [];
    for (let i = 0; i < 10; ++i) {
      const firmware = i < 5 ? '7.1-1' : '7.2-9';
      cassettes.push(imported(`duck${i}`, [
        [call('DSM.Info', 'getinfo'), json, ok({ model: 'FX1', version_string: firmware })],
        [call('Core.Share', 'list'), json, i % 2 ? failed(105) : ok({ shares: [] }), 20 + i],
        [call('Core.Slow'), json, ok({}), 900 + i],
        [call('Core.Network'), json, ok({ ip: i < 5 ? '192.0.2.1' : '192.0.2.2' })],
      ]));
    }
    tapedeck('export', '--as', 'jsonl', ...cassettes, '-o', file('ten.jsonl'));
    const queries = documented.map((text) => text.replaceAll('calls.jsonl', file('ten.jsonl')));
    assert.equal(queries.length, 3);
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const answers = [];
    for (const query of queries) answers.push((await connection.runAndReadAll(query)).getRowObjectsJson());
    assert.deepEqual(answers[0], [{ api: 'SYNO.Core.Share', method: 'list', failures: '5', calls: '10', codes: ['105'] }]);
    assert.equal(answers[1][0].api, 'SYNO.Core.Slow');
    assert.ok(answers[1][0].median_ms >= 900, JSON.stringify(answers[1][0]));
    assert.deepEqual(answers[2].map((row) => row.api), ['SYNO.Core.Network', 'SYNO.DSM.Info']);
    connection.closeSync();
  },
  'the TypeScript types compile under --strict, fit the recorded answers, and are the same after another recording': async () => {
    await recorded('first.cassette');
    await recorded('second.cassette');
    const [first, second] = ['first', 'second'].map((name) => tapedeck('export', '--as', 'typescript', file(`${name}.cassette`)));
    assert.equal(first, second);
    writeFileSync(file('types.ts'), first);
    const lines = tapedeck('export', '--as', 'jsonl', file('first.cassette')).trim().split('\n').map((line) => JSON.parse(line));
    const calls = lines.filter((line) => line.kind === 'interaction' && line.success !== null);
    assert.ok(calls.length > 5);
    const uses = calls.map((line, i) => {
      const key = JSON.stringify(`${line.api}/${line.version}/${line.method}`);
      return `export const answer${i}: Operations[${key}]["answer"] = ${line.body};`;
    });
    const head = 'import type { Operations } from "./types";\n';
    const compile = (text) => {
      writeFileSync(file('uses.ts'), head + text);
      const tsc = join(here, 'node_modules/typescript/bin/tsc');
      return spawnSync(process.execPath, [tsc, '--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', file('uses.ts')], {
        encoding: 'utf8', timeout: 120_000,
      });
    };
    const compiled = compile(uses.join('\n'));
    assert.equal(compiled.status, 0, compiled.stdout);
    const wrong = compile('export const x: Operations["SYNO.Core.Network/1/get"]["answer"] = { success: true, data: { gateway: 1 } };');
    assert.notEqual(wrong.status, 0);
  },
  'the browser ends': () => browser.close(),
});
