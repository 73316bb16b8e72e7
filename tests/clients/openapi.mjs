// Tests the OpenAPI document with its target programs: openapi-typescript and openapi-fetch call a replay server
// through it, Prism serves it, @mswjs/source creates handlers from it, and Redocly and swagger-parser accept it.
//   node openapi.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { account, Bench, environment, password, run } from './support.mjs';

const packages = new URL('./consumers/', import.meta.url).pathname;
if (!existsSync(join(packages, 'node_modules/openapi-fetch'))) {
  console.log('skipped: the packages of tests/clients/consumers are not there (npm ci there; script/test --all does it)');
  process.exit(77);
}

const bench = new Bench(process.argv[2], process.argv[3]);
const file = (name) => join(bench.folder, name);
const load = createRequire(join(packages, 'package.json'));
const tool = (path, ...args) => spawnSync(process.execPath, [join(packages, 'node_modules', path), ...args], {
  cwd: bench.folder, encoding: 'utf8', timeout: 120_000, env: { ...environment(bench.folder), HOME: bench.folder, REDOCLY_TELEMETRY: 'off' },
});
const passes = (ran) => assert.equal(ran.status, 0, ran.stdout + ran.stderr);
function tapedeck(...args) {
  const ran = spawnSync(bench.program, args, { encoding: 'utf8', env: environment(bench.folder), timeout: 60_000 });
  passes(ran);
  return ran.stdout;
}

const cassette = file('nas.cassette'), document = file('device.json');
const calls = {
  network: '/webapi/entry.cgi/SYNO.Core.Network/1/get',
  portals: '/webapi/entry.cgi/SYNO.Core.AppPortal/1/list',
  settings: '/webapi/entry.cgi/SYNO.Core.Terminal/3/set',
};
let seen;

/** Makes typed calls that were recorded: a read, a read with a list in a parameter, and a write with a form. */
const client = `
  import createClient from 'openapi-fetch';
  import type { paths } from './device.js';
  const client = createClient<paths>({ baseUrl: process.env.TAPEDECK_URL, bodySerializer: (body: unknown) => new URLSearchParams(body as Record<string, string>) });
  client.use({ onRequest({ request }) { request.headers.set('Cookie', 'id=' + process.env.SID); } });
  const network = await client.GET('${calls.network}');
  const answers = [
    network,
    await client.GET('${calls.portals}', { params: { query: { additional: JSON.stringify(['default_setting']) } } }),
    await client.POST('${calls.settings}', { body: { enable_ssh: true } }),
  ];
  const name: string | undefined = network.data?.success === true ? network.data.data.server_name : undefined;
  console.log(JSON.stringify({ bodies: answers.map((answer) => answer.data), outcomes: answers.map((answer) => answer.response.headers.get('X-Tapedeck-Outcome')), name }));`;

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function login(url) {
  const query = new URLSearchParams({ api: 'SYNO.API.Auth', version: 6, method: 'login', account, passwd: password });
  return (await (await fetch(`${url}/webapi/entry.cgi?${query}`)).json()).data.sid;
}

await run(bench, {
  'a session is recorded and exported': async () => {
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, cassette);
    const sid = await login(recorder.url);
    const get = async (query) => (await fetch(`${recorder.url}/webapi/entry.cgi?${query}&_sid=${sid}`)).json();
    seen = [
      await get('api=SYNO.Core.Network&version=1&method=get'),
      await get('api=SYNO.Core.AppPortal&version=1&method=list&additional=%5B%22default_setting%22%5D'),
      await (await fetch(`${recorder.url}/webapi/entry.cgi`, { method: 'POST', body: new URLSearchParams({ api: 'SYNO.Core.Terminal', version: 3, method: 'set', enable_ssh: true, _sid: sid }) })).json(),
    ];
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    await bench.stop(device);
    tapedeck('export', '--openapi', cassette, '-o', document);
    symlinkSync(join(packages, 'node_modules'), file('node_modules'));
  },
  'Redocly and swagger-parser accept it': async () => {
    passes(tool('@redocly/cli/bin/cli.js', 'lint', '--extends', 'recommended', document));
    const Parser = load('@apidevtools/swagger-parser');
    const api = await new Parser().validate(document);
    assert.ok(calls.network in api.paths);
  },
  'openapi-typescript makes types with which openapi-fetch calls a replay server': async () => {
    passes(tool('openapi-typescript/bin/cli.js', document, '-o', file('device.d.ts')));
    writeFileSync(file('client.mts'), client);
    passes(tool('typescript/bin/tsc', '--strict', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--skipLibCheck', '--lib', 'es2022,dom', '--types', 'node', file('client.mts')));
    const replay = await bench.server('replay', '--strict', cassette);
    const ran = spawn(process.execPath, [file('client.mjs')], { env: { ...environment(bench.folder), TAPEDECK_URL: replay.url, SID: await login(replay.url) } });
    let said = '';
    for (const stream of [ran.stdout, ran.stderr]) stream.on('data', (text) => (said += text));
    assert.equal(await new Promise((ended) => ran.once('close', ended)), 0, said);
    const { bodies, outcomes, name } = JSON.parse(said);
    assert.deepEqual(outcomes, ['recorded', 'recorded', 'recorded']);
    assert.deepEqual(bodies, seen);
    assert.equal(name, seen[0].data.server_name);
    assert.equal(await bench.stop(replay), 0, replay.said);
    writeFileSync(file('wrong.mts'), client.replace(calls.network, calls.network + 's'));
    assert.notEqual(tool('typescript/bin/tsc', '--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--skipLibCheck', '--types', 'node', file('wrong.mts')).status, 0);
  },
  'Prism serves it': async () => {
    const port = await freePort();
    const prism = spawn(process.execPath, [join(packages, 'node_modules/@stoplight/prism-cli/dist/index.js'), 'mock', '--port', port, '--host', '127.0.0.1', document],
      { env: { ...environment(bench.folder), HOME: bench.folder } });
    let said = '';
    for (const stream of [prism.stdout, prism.stderr]) stream.on('data', (text) => (said += text));
    try {
      for (let looks = 0; !said.includes('listening') && looks < 1200; ++looks) await new Promise((wake) => setTimeout(wake, 50));
      for (const [path, options] of [[calls.network], [calls.portals + '?additional=%5B%22default_setting%22%5D'], [calls.settings, { method: 'POST', body: new URLSearchParams({ enable_ssh: true }) }]]) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, options);
        const body = await answer.json();
        assert.equal(answer.status, 200, path + JSON.stringify(body) + said);
        assert.ok('success' in body, JSON.stringify(body));
      }
      assert.equal((await fetch(`http://127.0.0.1:${port}${calls.network}s`)).status, 404);
    } finally {
      prism.kill();
    }
  },
  '@mswjs/source makes handlers that match': async () => {
    const { fromOpenApi } = await import(pathToFileURL(load.resolve('@mswjs/source/open-api')));
    const { getResponse } = load('msw');
    const server = 'http://127.0.0.1:8080';
    const handlers = await fromOpenApi(JSON.parse(readFileSync(document, 'utf8')));
    for (const path of [calls.network, calls.portals]) {
      const answer = await getResponse(handlers, new Request(`${server}${path}`));
      assert.equal(answer?.status, 200, path);
      assert.ok('success' in (await answer.json()));
    }
    assert.equal(await getResponse(handlers, new Request(`${server}${calls.network}s`)), undefined);
  },
});
