// A plugin that serves /webapi of Vite's dev server from a recording.

import { isIP } from 'node:net';
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

/** Under `tapedeck exec … -- vite`, its server is used; otherwise one is started, and ends with Vite's. */
export function tapedeck({ paths = ['/webapi'], scope, ...options } = {}) {
  let server;
  let allowed;
  let logger;
  const waiting = []; // lines, until there is a logger
  const show = (line) => (logger ? logger.warn(line, { timestamp: true }) : waiting.push(line));

  /**
   * The server accepts requests of its own pages. Requests of the dev server's pages are changed to such requests. All
   * others keep their Origin and are refused.
   */
  const configure = (proxy) => proxy.on('proxyReq', (sent, request) => {
    if (isFromOwnPage(request, allowed)) sent.setHeader('Origin', server.url);
  });

  return {
    name: 'tapedeck',
    apply: 'serve',

    async config() {
      if (process.env.VITEST) return {}; // unit tests have servers of their own
      server = await Server.start(options, show);
      const tape = new Tape(server, scope === undefined ? undefined : scopeName(scope));
      const proxy = { target: server.url, changeOrigin: true, headers: tape.headers, configure };
      return { server: { proxy: Object.fromEntries(paths.map((path) => [path, proxy])) } };
    },

    configResolved(config) {
      allowed = config.server.allowedHosts;
      logger = config.logger;
      waiting.splice(0).forEach(show);
    },

    configureServer(vite) {
      const mine = server;
      vite.httpServer?.once('close', () => mine.stop());
    },
  };
}

export default tapedeck;
