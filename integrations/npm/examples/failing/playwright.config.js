import config from '../playwright.config.js';

export default { ...config, testDir: '.', testIgnore: [] };
