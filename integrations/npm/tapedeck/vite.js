// A plugin that serves /webapi of Vite's dev server from a recording.

import { isIP } from 'node:net';
import { relative } from 'node:path';
import { Server } from './lib/server.js';
import { scopeName } from './lib/scope.js';
import { Tape } from './lib/tape.js';

/**
 * Returns true for a name of the dev server that no foreign page can have: loopback names, addresses, and names that
 * Vite allows.
 */
function isOwnName(host, allowed) {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const fits = (one) => name === one || (one.startsWith('.') && (name.endsWith(one) || name === one.slice(1)));
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) > 0 ||
    allowed === true || (Array.isArray(allowed) && allowed.some(fits));
}

/**
 * Returns true for a request that a page of this dev server sends. A foreign page has another Origin, and a browser
 * marks its requests as same-site or cross-site.
 */
function isFromOwnPage({ headers, socket }, allowed) {
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  return origin === `${socket.encrypted ? 'https' : 'http'}://${host}` && (site === undefined || site === 'same-origin') &&
    isOwnName(host, allowed);
}

/**
 * With HTTP/2, the name of the server is in a pseudo-header, and such headers cannot be forwarded over HTTP/1.1. Node
 * reads method and URL from there.
 */
function useHttp1Headers(request) {
  const { headers, method, url } = request;
  if (headers[':authority'] === undefined) return;
  headers.host = headers[':authority'];
  Object.defineProperties(request, { method: { value: method, writable: true }, url: { value: url, writable: true } });
  for (const name of Object.keys(headers)) if (name.startsWith(':')) delete headers[name];
}

/**
 * The server of each set of options. It survives a restart of Vite, which makes a new plugin before it closes the old
 * one: `users` are the open Vite servers, and the last one that closes stops it.
 */
const running = new Map();

const asList = (one) => (one === undefined ? [] : [one].flat());

const summary = /^(?:requests \d.*|.* contains \d+ interactions?)$/gm;

async function stop(entry) {
  running.delete(entry.key);
  const server = await entry.server.catch(() => undefined);
  if (!server) return;
  await server.stop();
  if (!entry.isRecording) return;
  for (const line of server.output.match(summary) ?? []) server.lines.say(line);
}

/** Ctrl-C ends Vite without a notice, before the recorder has finished its cassette and printed its summary. */
async function interrupted() {
  await Promise.all([...running.values()].map(stop));
  process.exit(130);
}

/** Stops recorders of the same cassette that have other options: Vite restarts because these have changed. */
async function stopOthers(key, options) {
  const cassettes = asList(options.cassette);
  for (const entry of [...running.values()]) {
    if (entry.key === key || !(entry.isRecording || isRecording(options))) continue;
    if (entry.root === process.cwd() && entry.cassettes.some((one) => cassettes.includes(one))) await stop(entry);
  }
}

const isRecording = ({ record = 'none' }) => record !== 'none';

async function acquire(options, show) {
  const key = JSON.stringify([process.cwd(), options]);
  await stopOthers(key, options);
  let entry = running.get(key);
  if (!entry) {
    entry = { key, root: process.cwd(), cassettes: asList(options.cassette), isRecording: isRecording(options), users: new Set(), show };
    entry.server = Server.start(options, (line) => entry.show(line));
    running.set(key, entry);
    entry.server.catch(() => running.delete(key));
    const server = await entry.server;
    if (entry.isRecording && !server.isOfExec) {
      if (!process.listeners('SIGINT').includes(interrupted)) process.once('SIGINT', interrupted);
      server.lines.say(`recording ${options.device} into ${asList(options.cassette).map((one) => relative('', one)).join(', ')}`);
    }
  }
  entry.show = show;
  await entry.server;
  return entry;
}

/** Under `tapedeck exec … -- vite`, its server is used; otherwise one is started, and ends with Vite's. */
export function tapedeck({ paths = ['/webapi'], scope, ...options } = {}) {
  let entry;
  let allowed;
  let logger;
  const waiting = []; // lines, until there is a logger
  const show = (line) => (logger ? logger.warn(line, { timestamp: true }) : waiting.push(line));

  /** Counts an open Vite server. In middleware mode it has no HTTP server, so its close() is watched. */
  const useBy = (vite) => {
    const { close } = vite;
    const mine = entry;
    mine.users.add(vite);
    vite.close = async (...given) => {
      await close.apply(vite, given);
      mine.users.delete(vite);
      if (mine.users.size === 0) await stop(mine);
    };
  };

  return {
    name: 'tapedeck',
    apply: 'serve',

    async config() {
      if (process.env.VITEST) return {}; // unit tests have servers of their own
      entry = await acquire(options, show);
      const server = await entry.server;
      const tape = new Tape(server, scope === undefined ? undefined : scopeName(scope));
      /**
       * The server accepts requests of its own pages. Requests of the dev server's pages are changed to such requests.
       * All others keep their Origin and are refused.
       */
      const configure = (proxy) => proxy.on('proxyReq', (sent, request) => {
        if (isFromOwnPage(request, allowed)) sent.setHeader('Origin', server.url);
      });
      const proxy = { target: server.url, changeOrigin: true, headers: tape.headers, configure, bypass: useHttp1Headers };
      return { server: { proxy: Object.fromEntries(paths.map((path) => [path, proxy])) } };
    },

    configResolved(config) {
      allowed = config.server.allowedHosts;
      logger = config.logger;
      waiting.splice(0).forEach(show);
    },

    configureServer: useBy,
    configurePreviewServer: useBy,
  };
}

export default tapedeck;
