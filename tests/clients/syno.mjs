// Checks that the npm client `syno` gets the same from the device, through the recorder, and on replay, over http and
// https.
//   node syno.mjs TAPEDECK TEST_DEVICE

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { account, Bench, environment, inLongRuns, password, run } from './support.mjs';

const bench = new Bench(process.argv[2], process.argv[3]);
const long = Boolean(process.env.TAPEDECK_LONG);
const client = join(dirname(fileURLToPath(import.meta.url)), 'syno_client.cjs');

/** Runs the client; returns its results, or an error with its output. */
function use(base, { user = account, secret = password, extra = [], env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [client, base, user, secret, ...extra], {
      env: environment(bench.folder, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let said = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (said += text));
    child.on('close', (status) => (status === 0 ? resolve(JSON.parse(out)) : reject(new Error(said.trim()))));
  });
}

const cassette = (name) => join(bench.folder, `${name}.cassette`);
let direct;

/** Records one run of the client from a fresh device, whose scan starts again; returns the client's results. */
async function record(name, options, how) {
  const device = await bench.device();
  const recorder = await bench.server('record', '--device', device.url, ...options, cassette(name));
  const seen = await use(recorder.url, how());
  assert.equal(await bench.stop(recorder), 0, recorder.said);
  await bench.stop(device);
  return seen;
}

/** Replays to several clients, one after another. None may get a miss or a fallback. */
async function replay(name, options, ways) {
  const server = await bench.server('replay', '--strict', ...options, cassette(name));
  for (const how of ways) assert.deepEqual(await use(server.url, how()), direct);
  assert.equal(await bench.stop(server), 0, server.said);
}

const trusting = () => ({ env: { NODE_EXTRA_CA_CERTS: bench.certificate } });
const somebody = { user: 'another-user', secret: 'another made-up password' };

await run(bench, {
  'the device alone: the scan is polled to its end': async () => {
    const device = await bench.device();
    direct = await use(device.url);
    await bench.stop(device);
    assert.deepEqual(direct.polls.map((poll) => poll.sysProgress), [0, 50, 100]);
    assert.equal(direct.system.model, 'FX-100');
    assert.equal(direct.network.server_name, 'fixture-nas');
    assert.ok(direct.portals.portal[0].additional.default_setting);
    assert.equal(Object.keys(direct.rules.items).length, 2);
  },
  'http: through the recorder': async () => assert.deepEqual(await record('http', [], () => ({})), direct),
  // Its account has one cursor for all its logins, so a second run of a user would begin where the first one ended.
  'http: on replay, by the user and by another one': () => replay('http', [], [() => ({}), () => somebody]),
  'https: through the recorder, trusting the certificate that was kept': async () =>
    assert.deepEqual(await record('https', ['--tls'], trusting), direct),
  'https: on replay, trusting the certificate or none at all': () =>
    replay('https', ['--tls'], [() => ({ ...somebody, extra: ['--any-certificate'] }), ...(long ? [trusting] : [])]),
  'https: a client that does not know the certificate sends nothing': async () => {
    const server = await bench.server('replay', '--tls', cassette('https'));
    await assert.rejects(use(server.url), /self.signed certificate/);
    assert.equal(await bench.stop(server), 0, server.said);
    assert.match(server.out, /replayed 0, /);
  },
  ...inLongRuns({
    // The client stops at the first call that would change the device.
    'half of its flow is recorded': async () => {
      const device = await bench.device();
      const recorder = await bench.server('record', '--block-writes', '--device', device.url, cassette('half'));
      await assert.rejects(use(recorder.url), /startSecurityScanOperation/);
      assert.equal(await bench.stop(recorder), 0, recorder.said);
      assert.match(recorder.out, /Core\.Network /);
      await bench.stop(device);
    },
    'with --mode new it goes to its end, and the device is asked for the other half': async () => {
      const device = await bench.device();
      const recorder = await bench.server(
        'record', '--mode', 'new', '--allow-writes', '--device', device.url, cassette('half'),
      );
      assert.deepEqual(await use(recorder.url), direct);
      assert.equal(await bench.stop(recorder), 0, recorder.said);
      assert.match(recorder.out, /SecurityScan/);
      assert.doesNotMatch(recorder.out, /Core\.Network /);
      await bench.stop(device);
    },
    'and is replayed whole': () => replay('half', [], [() => ({}), () => somebody]),
  }),
  'the password is in no cassette': () => {
    for (const name of ['http', 'https', ...(long ? ['half'] : [])]) {
      const bytes = readFileSync(cassette(name));
      for (const form of [password, encodeURIComponent(password)]) assert.equal(bytes.indexOf(form), -1);
    }
  },
});
