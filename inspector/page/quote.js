// Quotes texts of clients, devices, and files in languages that the page writes. Nothing else puts such a text into code.

/** One word of a POSIX shell. */
export const shellWord = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/** A string of Python, and of JSON. */
export const pythonText = (text) => JSON.stringify(String(text));

/** A string of JavaScript and TypeScript, between single quotes. */
export const scriptText = (text) => `'${JSON.stringify(String(text)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** A basic string of TOML, in which DEL needs an escape. */
export const tomlText = (text) => JSON.stringify(String(text)).replaceAll('\u007f', '\\u007f');

/** The rest of a comment: what could end its line, or is invisible, becomes `_`. */
export const commentText = (text) => String(text).replace(/[\p{C}\u2028\u2029]/gu, '_');
