import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['failing/vitest.test.js'] } });
