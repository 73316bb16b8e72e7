import { defineConfig } from 'vite';

// `tapedeck exec nas.cassette -- npx vite` sets TAPEDECK_URL; a replay server by hand listens on 8080.
const target = process.env.TAPEDECK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Without changeOrigin: the replay server then sees the Host that the browser used, and accepts the requests of this dev
  // server's pages, but not those of pages elsewhere.
  server: { proxy: { '/webapi': { target } } },
  build: { target: 'es2022' },
});
