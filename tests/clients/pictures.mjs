// Creates the pictures of docs/pictures again (script/pictures).
//   node pictures.mjs TAPEDECK TEST_DEVICE

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { folder, posed } from './page/pictures.mjs';
import { World } from './page/world.mjs';

const world = await World.start(process.argv[2], process.argv[3]);
mkdirSync(folder, { recursive: true });
await posed(world, async (name, page, text) => {
  writeFileSync(new URL(`${name}.txt`, folder), text);
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)) });
});
await world.browser.close();
await world.bench.close();
process.exit(0);
