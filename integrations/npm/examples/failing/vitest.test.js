import { expect } from 'vitest';
import { tapedeckTest } from '@tapedeck/tapedeck/vitest';
import { ask } from '../nas.js';

tapedeckTest({ cassette: 'nas.cassette' })('a share that was never asked for', async ({ tape }) => {
  await ask(tape.url, 'SVC.Core.Network', 1, 'get');
  const share = await ask(tape.url, 'SVC.Core.Share', 1, 'get', { name: 'nobody' }).catch((error) => error.message);
  expect(share).toBe('nobody');
});
