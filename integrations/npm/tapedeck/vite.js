// A plugin for Vite's dev server: /webapi is answered from a recording.

import { Server } from './lib/server.js';
import { scopeName } from './lib/scope.js';
import { Tape } from './lib/tape.js';

/** Under `tapedeck exec … -- vite` its server is used; else one is started, and ends with Vite's. */
export function tapedeck({ paths = ['/webapi'], scope, ...options } = {}) {
  let server;
  return {
    name: 'tapedeck',
    apply: 'serve',

    async config() {
      if (process.env.VITEST) return {}; // unit tests have servers of their own
      server = await Server.start(options);
      const tape = new Tape(server, scope === undefined ? undefined : scopeName(scope));
      const proxy = { target: server.url, changeOrigin: true, headers: tape.headers };
      return { server: { proxy: Object.fromEntries(paths.map((path) => [path, proxy])) } };
    },

    configureServer(vite) {
      const mine = server;
      vite.httpServer?.once('close', () => mine.stop());
    },
  };
}

export default tapedeck;
