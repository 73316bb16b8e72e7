import { expect, test } from '@tapedeck/tapedeck/playwright';
import { ask } from '../nas.js';

test('a share that was never asked for', async ({ tape }) => {
  await ask(tape.url, 'SVC.Core.Network', 1, 'get');
  const share = await ask(tape.url, 'SVC.Core.Share', 1, 'get', { name: 'nobody' }).catch((error) => error.message);
  expect(share).toBe('nobody');
});
