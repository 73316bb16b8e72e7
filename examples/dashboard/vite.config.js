import { defineConfig } from 'vite';

// `tapedeck exec nas.cassette -- npx vite` sets TAPEDECK_URL; a replay server by hand listens on 8080.
const device = process.env.TAPEDECK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // changeOrigin: the replay server answers to its own name only, so that no page elsewhere can read a recording.
  server: { proxy: { '/webapi': { target: device, changeOrigin: true } } },
  build: { target: 'es2022' },
});
