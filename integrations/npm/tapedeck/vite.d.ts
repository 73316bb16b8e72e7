import type { Plugin } from 'vite';
import type { ServerOptions } from './index.js';

/**
 * Serves `paths` (default: `/webapi`) of Vite's dev server from a recording. Under `tapedeck exec … -- vite`, that
 * server is used; otherwise one is started, and ends with Vite's.
 */
export function tapedeck(options?: ServerOptions & { paths?: string[]; scope?: string }): Plugin;
export default tapedeck;
