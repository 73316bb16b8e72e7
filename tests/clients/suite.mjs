// Tests a whole test suite in one cassette, by scopes: recorded once, it passes in any order, in parallel, alone, and
// again.
//   node suite.mjs TAPEDECK DEVICE

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Bench, account as accountName, environment, password, run } from './support.mjs';

const bench = new Bench(process.argv[2], process.argv[3]);
const suite = new URL('./suite/suite.test.mjs', import.meta.url).pathname;
const file = (name) => join(bench.folder, name);
const long = Boolean(process.env.TAPEDECK_LONG);
const written = [...readFileSync(suite, 'utf8').matchAll(/^ {2}'(.+)': async/gm)].map((match) => match[1]);
const later = written.filter((name) => name.startsWith('later: '));
const names = written.filter((name) => !later.includes(name));
// Steps that run each test by itself take two, unless the run is long. These need no state that others leave.
const someNames = names.filter((_, index) => long || index % 12 === 3);

const node = (more) => ({ env: environment(bench.folder, more), encoding: 'utf8', timeout: 60_000 });

/** Runs the suite against a server; returns its exit status and its output. */
function against(url, more) {
  return spawnSync(process.execPath, ['--test-reporter=tap', suite], node({ SUITE_URL: url, ...more }));
}

/** Runs the suite as the command of `tapedeck exec`. */
function replayed(options, more) {
  const command = [process.execPath, '--test-reporter=tap', suite];
  return spawnSync(bench.program, ['exec', ...options, '--', ...command], node(more));
}

function passes(ran) {
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
}

async function record(cassette, more, ...options) {
  const device = await bench.device();
  const recorder = await bench.server('record', '--device', device.url, ...options, cassette);
  passes(against(recorder.url, more));
  assert.equal(await bench.stop(recorder), 0, recorder.said);
  device.stdin.end();
}

/** Calls the control API. */
async function control(server, path, body) {
  const headers = { 'X-Tapedeck-Token': server.values.token, 'Content-Type': 'application/json' };
  const answer = await fetch(server.values.control + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, ...(await answer.json()) };
}

function scopesOf(path) {
  const listed = spawnSync(bench.program, ['ls', '--scopes', '--json', path], node());
  return JSON.parse(listed.stdout).filter((scope) => scope.scope !== '');
}

function listed(path) {
  const lines = spawnSync(bench.program, ['ls', '--json', path], node());
  return JSON.parse(lines.stdout);
}

/** Returns the requests that a device received, without IDs and ports, and sorted, because the order of the tests does not
 * matter. */
function askedFor(log) {
  const targets = readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);
  return targets.map((target) => target.replace(/_sid=[^&]*/, '_sid=ID')).sort();
}

/** Returns the requests that the device receives when it alone responds. */
async function askedWithoutTapedeck(more) {
  const log = file('alone.log');
  const device = await bench.device('--log', log);
  passes(against(device.url, more));
  assert.equal(await bench.stop(device), 0);
  return askedFor(log);
}

const strict = '--strict=miss,fallback,order,scope,unfinished';
const cassette = file('suite.cassette');

/** Throws once the port refuses connections. */
async function untilRefused(url) {
  const { hostname, port } = new URL(url);
  for (let i = 0; i < 500; ++i) {
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    socket.destroy();
    await new Promise((wake) => setTimeout(wake, 10));
  }
}

/** Runs one test against a separate port of its scope, which closes with its result. */
async function ownPort(server, at, name) {
  const { url } = await control(server, '/scope', at);
  const ran = against(url, { SUITE_ONLY: name });
  await control(server, '/scope/result', { name: at.name, ok: ran.status === 0 });
  await assert.rejects(untilRefused(url));
  return ran;
}

await run(bench, {
  'there are at least twenty tests': () => assert.ok(names.length >= 20),
  'it is recorded once, by header': () => record(cassette, { SUITE_SCOPE: 'header' }),
  'each test is a scope, and whole': () => {
    const scopes = scopesOf(cassette);
    assert.deepEqual(scopes.map((scope) => scope.scope).sort(), [...names].sort());
    assert.ok(scopes.every((scope) => scope.complete));
  },
  'it passes in order': () => passes(replayed([strict, cassette], { SUITE_SCOPE: 'header' })),
  'it passes in random orders': () => {
    for (let order = 1; order <= (long ? 20 : 1); ++order) {
      passes(replayed([strict, cassette], { SUITE_SCOPE: order % 2 ? 'header' : 'path', SUITE_ORDER: String(order) }));
    }
  },
  'it passes four at a time': () => {
    passes(replayed([strict, '--threads', '2', cassette], { SUITE_SCOPE: 'path', SUITE_AT_ONCE: '4', SUITE_ORDER: '3' }));
  },
  'each test passes alone': () => {
    for (const name of someNames) passes(replayed([strict, cassette], { SUITE_SCOPE: 'header', SUITE_ONLY: name }));
  },
  'each test passes twice on one server': () => {
    passes(replayed([strict, cassette], { SUITE_SCOPE: 'path', SUITE_TWICE: '1', SUITE_ORDER: '5' }));
  },
  'a cassette for each test, recorded and replayed with --scope': async () => {
    const device = await bench.device();
    for (const [i, name] of someNames.entries()) {
      const own = file(`test-${i}.cassette`);
      const scope = ['--scope', encodeURIComponent(name)];
      const recorder = await bench.server('record', '--device', device.url, ...scope, own);
      passes(against(recorder.url, { SUITE_ONLY: name }));
      assert.equal(await bench.stop(recorder), 0, recorder.said);
    }
    for (const [i, name] of someNames.entries()) {
      const scope = ['--scope', encodeURIComponent(name)];
      passes(replayed([strict, ...scope, file(`test-${i}.cassette`)], { SUITE_ONLY: name }));
    }
  },
  'the report has a case for each scope': () => {
    const report = file('report.xml');
    passes(replayed(['--report', report, cassette], { SUITE_SCOPE: 'header' }));
    const cases = [...readFileSync(report, 'utf8').matchAll(/classname="tapedeck.scope" name="([^"]*)"\/>/g)];
    assert.deepEqual(cases.map((match) => match[1]).sort(), [...names].sort());
  },
  'a scope has a port of its own, while recording and on replay': async () => {
    const own = file('own-port.cassette'), name = 'a setting is changed and read back';
    const at = { name: encodeURIComponent(name), listen: '127.0.0.1:0' };
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, '--control', '127.0.0.1:0', own);
    passes(await ownPort(recorder, at, name));
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    assert.deepEqual(scopesOf(own).map((scope) => scope.scope), [name]);
    const replay = await bench.server('replay', strict, '--control', '127.0.0.1:0', own);
    for (const run of ['', '#2']) passes(await ownPort(replay, { ...at, name: at.name + run }, name));
    assert.equal((await control(replay, '/scope', { ...at, listen: '0.0.0.0:0' })).status, 400);
    assert.equal(await bench.stop(replay), 0, replay.out + replay.said);
  },
  'a failed scope is not kept, of runs the last one is, and a scope gets another name': async () => {
    const own = file('runs.cassette');
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, '--control', '127.0.0.1:0', own);
    const ask = (scope, query) => fetch(`${recorder.url}/~scope/${scope}/webapi/entry.cgi?${query}`).then((answer) => answer.text());
    for (const scope of ['fails', 'again', 'again;2', 'Zur%C3%BCck%23']) await ask(scope, 'api=SYNO.API.Info&version=1&method=query');
    assert.equal((await control(recorder, '/scope/runs', { name: 'again' })).name, 'again#3');
    for (const [name, ok] of [['fails', false], ['again', true], ['again#2', true], ['Zur%C3%BCck%23', true]]) {
      assert.equal((await control(recorder, '/scope/result', { name, ok })).status, 200);
    }
    assert.equal(await bench.stop(recorder), 0, recorder.said);
    const listed = () => scopesOf(own).map((scope) => `${scope.scope} ${scope.run}`);
    assert.deepEqual(listed(), ['Zurück%23 1', 'again 2']);
    const rename = (from, to) => spawnSync(bench.program, ['edit', own, '--rename', `${from}=${to}`], node());
    assert.equal(rename('nobody', 'other').status, 2);
    assert.equal(rename('again', 'Zur%C3%BCck%23').status, 2);
    passes(rename('again', 'a new name'));
    assert.deepEqual(listed(), ['Zurück%23 1', 'a new name 2']);
  },
  'scopes that differ in a secret alone are an error of the recording': async () => {
    const own = file('clash.cassette');
    const device = await bench.device();
    const recorder = await bench.server('record', '--device', device.url, own);
    const sids = [];
    const ask = (parameters, headers) => fetch(`${recorder.url}/webapi/entry.cgi?${new URLSearchParams(parameters)}`, { headers });
    for (let i = 0; i < 2; ++i) {
      const login = await ask({ api: 'SYNO.API.Auth', version: 6, method: 'login', account: accountName, passwd: password, format: 'sid' });
      sids.push((await login.json()).data.sid);
      const call = { api: 'SYNO.Core.System', version: 1, method: 'info', _sid: sids[i] };
      await (await ask(call, { 'X-Tapedeck-Scope': `with ${sids[i]}` })).text();
    }
    assert.equal(await bench.stop(recorder), 3);
    assert.match(recorder.out, /"with <SESSION_ID>"/);
    assert.ok(!sids.some((sid) => (recorder.out + recorder.said).includes(sid)));
  },
  'five tests more: the device is asked for them alone, and one that fails is not kept': async () => {
    assert.equal(later.length, 5);
    const grown = file('grown.cassette'), log = file('grown.log');
    copyFileSync(cassette, grown);
    const before = listed(grown);
    const whole = (id) => spawnSync(bench.program, ['show', grown, id], node()).stdout;
    const shown = before.map(({ id }) => whole(id));
    const wanted = await askedWithoutTapedeck({ SUITE_GROWN: 'only' });
    const recording = async (options, more) => {
      const device = await bench.device('--log', log);
      const ran = replayed(['--mode', 'new', '--device', device.url, ...options, grown],
        { SUITE_SCOPE: 'header', SUITE_GROWN: '1', SUITE_REPORT: '1', SUITE_ORDER: '11', ...more });
      assert.equal(await bench.stop(device), 0);
      return ran;
    };
    const failing = await recording([], { SUITE_BREAK: 'later: the shares are listed' });
    assert.notEqual(failing.status, 0);
    assert.deepEqual(askedFor(log), wanted);
    const kept = scopesOf(grown).map((scope) => scope.scope).filter((name) => later.includes(name));
    assert.deepEqual(kept.sort(), later.filter((name) => name !== 'later: the shares are listed').sort());
    passes(await recording([], {}));
    assert.deepEqual(askedFor(log), await askedWithoutTapedeck({ SUITE_ONLY: 'later: the shares are listed', SUITE_GROWN: 'only' }));
    assert.deepEqual(scopesOf(grown).map((scope) => scope.scope).sort(), [...names, ...later].sort());
    const ids = new Set(listed(grown).map(({ id }) => id));
    assert.ok(before.every(({ id }) => ids.has(id)));
    before.forEach(({ id }, i) => assert.equal(whole(id), shown[i]));
    for (let order = 1; order <= (long ? 20 : 1); ++order) {
      passes(replayed([strict, grown], { SUITE_SCOPE: order % 2 ? 'header' : 'path', SUITE_GROWN: '1', SUITE_ORDER: String(order) }));
    }
  },
  'without scopes, --strict=order names what a shuffled suite was told wrongly': async () => {
    const unscoped = file('unscoped.cassette');
    await record(unscoped, {});
    for (let order = 1; order <= (long ? 20 : 1); ++order) {
      const ran = replayed(['--strict=order', unscoped], { SUITE_ORDER: String(order) });
      // The status is that of the suite, or 3 if it passed although a wrong result was reported.
      assert.ok(ran.status === 1 || ran.status === 3, ran.stderr);
      assert.match(ran.stderr, /out of order: SYNO\.Core\.\S+/);
    }
  },
});
