// Draws the terminal of the README: a login is recorded with its password replaced, and replayed without the device.
// The commands are run; only the ports, the folder, and the ID of the interaction differ from the drawn ones.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { environment } from '../support.mjs';

const columns = 104;
const step = 21; // pixels from line to line
const width = 880;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const cut = (text) => ([...text].length > columns ? `${[...text].slice(0, columns - 1).join('')}…` : text);

/** A line is a command (`$ …`), a comment (`# …`), or output. A placeholder of a secret is highlighted. */
function row(text, i) {
  const kind = { $: 'command', '#': 'comment' }[text[0]] ?? 'output';
  const shown = escaped(cut(text)).replace(/^\$/, '<tspan class="prompt">$</tspan>').replace(/&lt;[A-Z_]+&gt;/g, '<tspan class="secret">$&</tspan>');
  return `  <text x="20" y="${58 + i * step}" class="${kind}" xml:space="preserve">${shown}</text>`;
}

function drawn(lines) {
  const height = lines.length * step + 58;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: a recorded login, whose password is replaced, and its replay without the NAS">
  <style>
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #9da7b3 }
    .command { fill: #f0f6fc } .comment { fill: #7ee787 } .prompt { fill: #7ee787 } .secret { fill: #ffd866; font-weight: bold }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${lines.map(row).join('\n')}
</svg>
`;
}

/** Resolves to the text of the SVG file. */
export async function terminal(bench) {
  const file = (name) => join(bench.folder, name);
  const tool = (...args) => {
    const ran = spawnSync(bench.program, args, { env: environment(bench.folder), encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stdout;
  };
  const cassette = file('terminal.cassette');
  tool('demo', '--keep', file('terminal-device.cassette'));
  const device = await bench.server('replay', file('terminal-device.cassette'));
  const send = async (server, form) => (await fetch(`${server.url}/webapi/entry.cgi`, { method: 'POST', body: new URLSearchParams(form) })).text();
  const curl = (form) => `$ curl $url -d '${new URLSearchParams(form)}'`;
  const login = (account, passwd) => ({ api: 'SYNO.API.Auth', version: 7, method: 'login', account, passwd });
  const share = (sid) => ({ api: 'SYNO.Core.Share', version: 1, method: 'get', name: 'family', _sid: sid });
  const sidOf = (body) => JSON.parse(body).data.sid;

  const recorder = await bench.server('record', '--device', device.url, cassette);
  const loggedIn = await send(recorder, login('ann', 'Tulip-4711'));
  const recorded = await send(recorder, share(sidOf(loggedIn)));
  assert.equal(await bench.stop(recorder), 0);
  await bench.stop(device);
  const id = JSON.parse(tool('ls', '--json', cassette))[0].id;
  const stored = tool('show', cassette, id).split('\n').filter((line) => line.includes('<'));

  const replay = await bench.server('replay', cassette);
  const again = await send(replay, login('bob', 'anything'));
  const replayed = await send(replay, share(sidOf(again)));
  await bench.stop(replay);
  assert.equal(replayed, recorded);

  return drawn([
    '# Record: your client talks to the NAS through Tapedeck.',
    '$ tapedeck record --device https://nas.example:5001 my.cassette',
    '$ url=http://127.0.0.1:8080/webapi/entry.cgi',
    curl(login('ann', 'Tulip-4711')),
    loggedIn,
    curl(share('any')).replace('_sid=any', '_sid=…'),
    recorded,
    '',
    '# The cassette: the password and the session ID are not in it.',
    "$ tapedeck show my.cassette 5f2c | grep '<'",
    ...stored,
    '',
    '# Replay: the NAS is off. Any password logs in, and the response is the same.',
    '$ tapedeck replay my.cassette',
    curl(login('bob', 'anything')),
    again,
    curl(share('any')).replace('_sid=any', '_sid=…'),
    replayed,
  ]);
}
