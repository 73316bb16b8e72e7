// Tests the page of --page in Chromium: its content, its actions, and its protection. Uses one browser for many flows.
//   node page.mjs TAPEDECK TEST_DEVICE looks|steers|withstands

import { existsSync } from 'node:fs';

import { chromium, run } from './support.mjs';
import { moreRequestFlows, requestFlows } from './page/requests.mjs';
import { steeringFlows } from './page/steering.mjs';
import { recordingFlows } from './page/recording.mjs';
import { hostileFlows } from './page/hostile.mjs';
import { loadFlows } from './page/load.mjs';
import { accessFlows } from './page/access.mjs';
import { overlayFlows } from './page/overlays.mjs';
import { pictureFlows } from './page/pictures.mjs';
import { World } from './page/world.mjs';

if (!existsSync(chromium.executablePath)) {
  console.log(`skipped: ${chromium.executablePath} is not there (script/bootstrap test)`);
  process.exit(77);
}

const parts = {
  looks: process.env.TAPEDECK_LONG ? [requestFlows, moreRequestFlows] : [requestFlows],
  steers: [steeringFlows, overlayFlows, recordingFlows],
  withstands: [hostileFlows, loadFlows, accessFlows, pictureFlows],
};
const world = await World.start(process.argv[2], process.argv[3]);
const flows = parts[process.argv[4]].map((flowsOf) => flowsOf(world));
await run(world.bench, {
  ...Object.assign({}, ...flows),
  'the browser ends': () => world.browser.close(),
});
