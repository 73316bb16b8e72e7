import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '**/*.spec.js',
  testIgnore: 'failing/**',
  fullyParallel: true,
  workers: 2,
  reporter: 'list',
  use: {
    tapedeck: {cassette: 'nas.cassette', serve: 'app'},
    // This is the system's browser, which a container runs without its sandbox.
    launchOptions:
        {executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--no-proxy-server']},
  },
});
