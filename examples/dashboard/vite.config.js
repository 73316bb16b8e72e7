import { defineConfig } from 'vite';

// `tapedeck exec nas.cassette -- npx vite` sets TAPEDECK_URL; a replay server without `exec` listens on 8080.
const target = process.env.TAPEDECK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Without changeOrigin, the replay server receives the Host that the browser used. It accepts the requests of this
  // dev
  // server's pages, but not those of foreign pages.
  server: {proxy: {'/webapi': {target}}},
  build: {target: 'es2022'},
});
