// Compares the sample device of examples/nas with the recording of `tapedeck demo`: all responses are equal, and the recording contains no
// secret of the device.
//   node sample.mjs TAPEDECK DEVICE (the tests' device is not used)

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { described, startDevice } from '../../examples/nas/device.mjs';
import { walk } from '../../examples/nas/walk.mjs';
import { Bench, environment, run } from './support.mjs';

const bench = new Bench(process.argv[2], process.argv[3]);
const cassette = join(bench.folder, 'nas.cassette');
const tool = (...args) => execFileSync(bench.program, args, { env: environment(bench.folder), encoding: 'utf8' });
/** A token of only one response is a secret, for which replay generates another one, and the key of a login is its own. */
const settled = (body) => body.replace(/"(ciphertoken|public_key)":"[^"]+"/g, '"$1":"…"');
let recorded, expected;

await run(bench, {
  'the device is asked for at least sixty operations': async () => {
    const device = await startDevice();
    expected = await walk(device.url);
    await device.close();
    assert.ok(new Set(described.walk.map((one) => one.call)).size >= 60);
    assert.equal(expected.length, described.walk.length);
  },
  'tapedeck demo records them': () => {
    tool('demo', '--keep', cassette);
    recorded = JSON.parse(tool('ls', '--json', cassette));
    assert.equal(recorded.length, described.walk.length + 2, 'and a login and a logout');
  },
  'each answer is replayed byte for byte, in its turn': async () => {
    const replay = await bench.server('replay', '--strict', cassette);
    const answers = await walk(replay.url);
    for (const [i, { call, body, outcome }] of answers.entries()) {
      assert.equal(settled(body), settled(expected[i].body), `answer ${i}, ${call}`);
      assert.equal(outcome, 'recorded', `answer ${i}, ${call}`);
    }
    assert.equal(await bench.stop(replay), 0);
  },
  'password and ids are not in it': () => {
    const { account, session } = described;
    const values = [account.password, session.sid, session.synotoken].join('\n');
    const scan = spawnSync(bench.program, ['scan', '--values', '-', cassette], { input: values, env: environment(bench.folder) });
    assert.equal(scan.status, 0, String(scan.stdout));
  },
});
