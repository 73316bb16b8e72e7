import { describe, expect } from 'vitest';
import { tapedeckTest } from '@tapedeck/tapedeck/vitest';
import { logIn } from './nas.js';

const test = tapedeckTest({ cassette: 'nas.cassette' });

describe('the device', () => {
  test('tells its name', async ({ tape }) => {
    const call = await logIn(tape.url);
    expect((await call('SVC.Core.System.SystemHealth', 1, 'get')).hostname).toBe('attic');
  });

  // Each try is a separate run, which begins at the first recorded response.
  test('is polled from the start again when the test is', async ({ tape, task }) => {
    const call = await logIn(tape.url);
    const first = await call('SVC.Core.System.Utilization', 1, 'get');
    expect(first.time).toBe(1760000000);
    expect(tape.run).toBe(task.result.retryCount + 1);
    if (tape.run === 1) throw new Error('once more');
  });

  test.concurrent.for([1, 2, 3, 4])('is one for each test: %i', async (_, { tape }) => {
    const call = await logIn(tape.url);
    const times = [];
    for (let i = 0; i < 3; ++i) times.push((await call('SVC.Core.System.Utilization', 1, 'get')).time);
    expect(times).toEqual([1760000000, 1760000005, 1760000010]);
  });
});
