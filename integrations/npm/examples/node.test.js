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
