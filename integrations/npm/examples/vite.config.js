import { tapedeck } from '@tapedeck/tapedeck/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'app',
  plugins: [tapedeck({ cassette: 'nas.cassette' })],
});
