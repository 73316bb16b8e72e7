// Records device.json's device into a cassette, through the real recorder.
//   node examples/nas/make.mjs TAPEDECK CASSETTE
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevice } from './device.mjs';
import { walk } from './walk.mjs';

const [, , program, cassette] = process.argv;
if (!program || !cassette) {
  console.error('usage: node make.mjs TAPEDECK CASSETTE');
  process.exit(2);
}
if (existsSync(cassette)) {
  console.error(`make: ${cassette} already exists; remove it first`);
  process.exit(2);
}

async function readyUrl(file, child) {
  for (let i = 0; i < 200; ++i) {
    if (existsSync(file)) {
      const [url] = readFileSync(file, 'utf8').split('\n');
      if (url) return url;
    }
    if (child.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error('the recorder did not start');
}

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-sample-'));
const device = await startDevice();
const ready = join(folder, 'ready');
const recorder = spawn(program, ['record', '--device', device.url, '--listen', '127.0.0.1:0', '--ready-file', ready, cassette],
  { stdio: ['ignore', 'inherit', 'inherit'] });
const ended = new Promise((resolve) => recorder.on('exit', resolve));
let status = 1;
try {
  const answers = await walk(await readyUrl(ready, recorder));
  console.log(`${answers.length} calls made`);
  recorder.kill('SIGINT');
  status = await ended;
} finally {
  recorder.kill('SIGTERM');
  await device.close();
  rmSync(folder, { recursive: true });
}
process.exitCode = status;
