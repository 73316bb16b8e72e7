// Creates the pictures of docs/pictures again (script/pictures).
//   node pictures.mjs TAPEDECK TEST_DEVICE

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { folder, posed } from './page/pictures.mjs';
import { terminal } from './page/terminal.mjs';
import { World } from './page/world.mjs';

const world = await World.start(process.argv[2], process.argv[3]);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('terminal.svg', folder), await terminal(world.bench));
await posed(world, async (name, page, text, clip) => {
  writeFileSync(new URL(`${name}.txt`, folder), text);
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)), clip });
});
await world.browser.close();
await world.bench.close();
process.exit(0);
