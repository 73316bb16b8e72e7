// Shared by the flows of the page: a browser, a replay server with the sample's recording, and helpers for both.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import playwright from 'playwright-core';

import { Bench, chromium, environment } from '../support.mjs';

const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

export class World {
  /** Starts a replay server with `--page` on the sample's recording, which has received no request. */
  static async start(program, device) {
    const world = new World();
    world.bench = new Bench(program, device);
    world.cassette = join(world.bench.folder, 'nas.cassette');
    const made = spawnSync(program, ['demo', '--keep', world.cassette], { env: environment(world.bench.folder) });
    assert.equal(made.status, 0, String(made.stderr));
    world.browser = await playwright.chromium.launch(chromium);
    await world.serve();
    return world;
  }

  /** Restarts a server. */
  async serve() {
    if (this.server) await this.bench.stop(this.server);
    this.server = await this.bench.server('replay', '--page', this.cassette);
    Object.assign(this, { url: this.server.url, link: this.server.values.page, control: this.server.values.control, token: this.server.values.token });
  }

  /** Opens a new tab on the link. Stores errors of the page, and everything that its policy refused, in `faults`. */
  async open(link = this.link, { size = { width: 1200, height: 800 }, ...more } = {}) {
    const context = await this.browser.newContext({ viewport: size, ...more });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.faults = [];
    page.on('pageerror', (error) => page.faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
    await page.goto(link);
    return page;
  }

  /** Uses a tab that must have no fault. */
  async visit(use, link, options) {
    const page = await this.open(link, options);
    try {
      await use(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
    }
  }

  ask(api, method, more = '', headers = {}, url = this.url) {
    return fetch(`${url}/webapi/entry.cgi?api=${api}&version=1&method=${method}${more}`, { headers });
  }

  /** Returns the state of the server from the control API. */
  async said(path, options = {}) {
    const answer = await fetch(this.control + path, { ...options, headers: { 'X-Tapedeck-Token': this.token, ...options.headers } });
    return answer.json();
  }

  /** Waits until the server returns this state. */
  async until(path, holds) {
    for (let i = 0; i < 2400; ++i) {
      const answer = await this.said(path);
      if (holds(answer)) return answer;
      await new Promise((wake) => setTimeout(wake, 25));
    }
    throw new Error(`${path} never said so`);
  }
}

export const rows = (page) => page.locator('.sheet .row');
export const view = (page, name) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

/** Opens the first row that matches, in the panel. */
export async function openRow(page, selector) {
  await page.locator(selector).first().locator('.call-link').click();
  await page.locator('#title').waitFor();
}
export const tab = (page, name) => page.getByRole('tab', { name, exact: true }).click();
/** Returns the panel's text about the request under that name. */
export const fact = (page, name) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd').first().textContent();
export async function close(page) {
  await page.keyboard.press('Escape');
  await page.locator('.panel').waitFor({ state: 'hidden' });
}

/** Sends that many requests per second on one connection without waiting for responses. Returns the number of responses. */
export async function flood(url, api, method, count, rate) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answers = 0;
  let rest = '';
  socket.on('data', (bytes) => {
    const text = rest + bytes.toString('latin1');
    answers += text.split('HTTP/1.1 200').length - 1;
    rest = text.slice(-11);
  });
  const request = `GET /webapi/entry.cgi?api=${api}&version=1&method=${method}&_sid=flood HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;
  const begun = performance.now();
  let sent = 0;
  while (sent < count) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * rate));
    if (due > sent) socket.write(request.repeat(due - sent));
    sent = Math.max(sent, due);
    await new Promise((wake) => setTimeout(wake, 10));
  }
  for (let i = 0; i < 3000 && answers < sent; ++i) await new Promise((wake) => setTimeout(wake, 20));
  socket.destroy();
  return answers;
}

/** Checks that nothing is wider than the window. */
export async function fitsIn(page) {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
}

/** Checks that axe-core finds nothing serious. The policy of the page allows no script tag, so axe-core is evaluated. */
export async function accessible(page) {
  if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }));
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join(' ')}`), []);
}
