// A project for node:test, Vitest, Playwright, and pytest that uses the packages of this folder in place of installed ones.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { described } from '../../examples/nas/device.mjs';
import { environment } from './support.mjs';

const root = new URL('../../', import.meta.url).pathname;
const modules = join(root, 'integrations/npm/examples/node_modules');
const python = '/usr/bin/python3';

/** Exits with 77 if a runner is missing. */
export function requireRunners() {
  if (existsSync(join(modules, 'vitest')) && spawnSync(python, ['-c', 'import pytest, xdist']).status === 0) return;
  console.log('skipped: pytest or the packages of integrations/npm/examples are not there (script/bootstrap test, script/test)');
  process.exit(77);
}

export class RunnerProject {
  /** Writes `files`, by name. `bin` has `tapedeck`, `npx`, and `pytest`, as printed commands use them. */
  constructor(bench, files) {
    this.folder = join(bench.folder, 'project');
    mkdirSync(join(this.folder, 'node_modules/@tapedeck'), { recursive: true });
    for (const name of readdirSync(modules)) {
      if (!['.', '@tapedeck'].some((one) => name.startsWith(one))) symlinkSync(join(modules, name), join(this.folder, 'node_modules', name));
    }
    symlinkSync(join(modules, '.bin'), join(this.folder, 'node_modules/.bin'));
    cpSync(join(root, 'integrations/npm/tapedeck'), join(this.folder, 'node_modules/@tapedeck/tapedeck'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    this.pytest = [python, '-m', 'pytest', '-p', 'pytest_tapedeck.plugin', '-o', `cache_dir=${bench.folder}/cache`];
    const bin = join(bench.folder, 'bin');
    mkdirSync(bin);
    const script = (name, line) => writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    symlinkSync(bench.program, join(bin, 'tapedeck'));
    script('pytest', `exec ${this.pytest.join(' ')} "$@"`);
    script('npx', 'name=$1; shift\n[ "$name" != tapedeck ] || exec tapedeck "$@"\nexec "node_modules/.bin/$name" "$@"');
    this.env = { ...environment(bench.folder), TAPEDECK_BIN: bench.program, PYTHONPATH: join(root, 'integrations/pytest/src'),
      PYTHONDONTWRITEBYTECODE: '1', HOME: bench.folder, CI: '', NO_COLOR: '1', FORCE_COLOR: '0', PATH: `${bin}:${process.env.PATH}`,
      ACCOUNT: described.account.name, PASSWORD: described.account.password };
  }

  /** Starts a command; `ended` resolves to its status, and `said` is its output. */
  start([program, ...args], more = {}) {
    const child = spawn(program, args, { cwd: this.folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...this.env, ...more } });
    child.said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { child.said += text; });
    child.ended = new Promise((resolve) => child.once('close', resolve));
    return child;
  }

  async run(command, more) {
    const child = this.start(command, more);
    return { status: await child.ended, said: child.said };
  }
}
