import assert from 'node:assert/strict';
import { tapedeckTest } from '@tapedeck/tapedeck/node';
import { logIn } from './nas.js';

const test = tapedeckTest({ cassette: 'nas.cassette' });

test('the device tells its name', async (tape) => {
  const call = await logIn(tape.url);
  assert.equal((await call('SVC.Core.System.SystemHealth', 1, 'get')).hostname, 'attic');
  await tape.assertCalled('Core.System.SystemHealth/get', { count: 1 });
});

test('a scan is polled to its end: 100 %, #1; done', async (tape) => {
  const call = await logIn(tape.url);
  await call('SVC.Core.SecurityScan.Operation', 1, 'start', { items: '"ALL"' });
  const seen = [];
  while (seen.at(-1) !== 100) seen.push((await call('SVC.Core.SecurityScan.Status', 1, 'system_get')).sysProgress);
  assert.equal(seen.length, 3);
  assert.deepEqual(await tape.misses(), []);
});

test('a crashed volume and a dropped connection are laid over the recording, for this test alone', async (tape) => {
  const call = await logIn(tape.url);
  await tape.overlay({ call: 'Core.Storage.Volume/1/list', patch: [{ op: 'replace', path: '/data/volumes/0/status', value: 'crashed' }] });
  assert.equal((await call('SVC.Core.Storage.Volume', 1, 'list')).volumes[0].status, 'crashed');
  await tape.fault('reset', { call: 'Core.Share/1/list' });
  await assert.rejects(call('SVC.Core.Share', 1, 'list'), /fetch failed/);
  await tape.clearOverlays();
  assert.notEqual((await call('SVC.Core.Storage.Volume', 1, 'list')).volumes[0].status, 'crashed');
});

test('a client that takes a host and a port alone has a port of its own', async (tape) => {
  const call = await logIn(await tape.port());
  assert.equal((await call('SVC.Core.System.SystemHealth', 1, 'get')).hostname, 'attic');
  await tape.assertCalled('Core.System.SystemHealth/get');
});

test('a setting that is saved can be read back, and the clock is the recorded one', async (tape) => {
  const call = await logIn(tape.url);
  await tape.effects({ on: 'Core.SNMP/*/set', change: [{ in: 'Core.SNMP/*/get', merge: 'params' }] });
  await call('SVC.Core.SNMP', 1, 'set', { location: 'cellar' });
  assert.equal((await call('SVC.Core.SNMP', 1, 'get')).location, 'cellar');
  assert.equal((await tape.requests({ outcome: 'derived' })).length, 2);
  await tape.clearOverlays();
  assert.equal((await call('SVC.Core.SNMP', 1, 'get')).location, 'attic');
  const before = await tape.clock();
  await call('SVC.Core.System.SystemHealth', 1, 'get');
  assert.ok(before instanceof Date && before <= await tape.clock());
});

test('a response is held while the test looks at its client, and then becomes an error', async (tape) => {
  const call = await logIn(tape.url);
  const held = await tape.hold('Core.Share/list');
  const listed = call('SVC.Core.Share', 1, 'list');
  assert.equal(await Promise.race([listed.then(() => 'done', () => 'failed'), new Promise((wake) => setTimeout(wake, 200, 'waits'))]), 'waits');
  const failed = assert.rejects(listed, /105/);
  assert.equal(await held.release({ error: 105 }), 1);
  await failed;
  assert.ok((await call('SVC.Core.Share', 1, 'list')).shares.length > 0);
});
