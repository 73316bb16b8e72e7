// Draws docs/terminal.svg: the output of the program when the sample device is recorded and replayed, and a request is a miss.
//   node docs/terminal.mjs TAPEDECK [FILE]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevice } from '../examples/nas/device.mjs';
import { walk } from '../examples/nas/walk.mjs';

const [, , program, file = new URL('terminal.svg', import.meta.url).pathname] = process.argv;
if (!program) {
  console.error('usage: node docs/terminal.mjs TAPEDECK [FILE]');
  process.exit(2);
}
const columns = 100;
const folder = mkdtempSync(join(tmpdir(), 'tapedeck-picture-'));

async function server(...args) {
  const ready = join(folder, 'ready');
  const child = spawn(program, [...args, '--listen', '127.0.0.1:0', '--ready-file', ready], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  child.out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => { child.out += text; });
  child.ended = new Promise((resolve) => child.once('close', resolve));
  for (let i = 0; i < 800 && child.exitCode === null && !(existsSync(ready) && readFileSync(ready, 'utf8')); ++i) await sleep(25);
  child.url = readFileSync(ready, 'utf8').split('\n')[0];
  child.stop = async () => { child.kill('SIGINT'); await child.ended; return child.out.trimEnd().split('\n'); };
  return child;
}

/** Resolves to lines `{text, kind}`: a command, its output, or a highlighted part of it. */
async function session() {
  const device = await startDevice();
  const recorder = await server('record', '--device', device.url, 'my.cassette');
  await walk(recorder.url, 'SYNO');
  const summary = (await recorder.stop()).slice(-2);
  await device.close();
  const replay = await server('replay', 'my.cassette');
  const ask = async (query) => {
    const answer = await fetch(`${replay.url}/webapi/entry.cgi?${query}`);
    return { outcome: answer.headers.get('x-tapedeck-outcome'), body: await answer.json() };
  };
  const query = 'api=SYNO.Core.Share&version=1&method=get&name=';
  const played = await ask(`${query}family`);
  const missed = await ask(`${query}nobody`);
  await replay.stop();
  const why = missed.body.error.errors.tapedeck;
  return [
    { kind: 'command', text: 'tapedeck record --device https://nas.example:5001 my.cassette' },
    ...summary.map((text) => ({ kind: 'output', text })),
    { kind: 'command', text: 'tapedeck replay my.cassette &' },
    { kind: 'command', text: `curl '127.0.0.1:8080/webapi/entry.cgi?${query}family'` },
    { kind: 'output', text: JSON.stringify(played.body) },
    { kind: 'command', text: `curl '127.0.0.1:8080/webapi/entry.cgi?${query}nobody'` },
    { kind: 'bad', text: `"reason": ${JSON.stringify(why.reason)}` },
    { kind: 'output', text: `"nearest": ${JSON.stringify(why.nearest.at(-1).recording)}` },
    { kind: 'good', text: `"hint": ${JSON.stringify(why.hint)}` },
  ];
}

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const cut = (text) => ([...text].length > columns ? `${[...text].slice(0, columns - 1).join('')}…` : text);

function drawn(lines) {
  const [step, height] = [21, lines.length * 21 + 66];
  const rows = lines.map(({ kind, text }, i) => {
    const shown = kind === 'command' ? `<tspan class="good">$</tspan> ${escaped(cut(text))}` : escaped(cut(text));
    return `  <text x="20" y="${62 + i * step}" class="${kind}" xml:space="preserve">${shown}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height}" role="img" aria-label="A terminal: record a device, replay the recording, and find out why a request has no recording">
  <style>
    text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9 }
    .command { fill: #f0f6fc } .output { fill: #8b949e } .good { fill: #7ee787 } .bad { fill: #ffa198 }
  </style>
  <rect width="860" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`;
}

try {
  writeFileSync(file, drawn(await session()));
} finally {
  rmSync(folder, { recursive: true });
}
