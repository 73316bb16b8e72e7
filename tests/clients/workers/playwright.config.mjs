import { chromium } from '../support.mjs';

export default {
  workers: 4,
  fullyParallel: true,
  retries: 0,
  reporter: 'json',
  timeout: 60_000,
  outputDir: process.env.TAPEDECK_OUTPUT,
  use: { browserName: 'chromium', launchOptions: chromium },
};
