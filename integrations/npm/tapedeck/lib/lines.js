// Stores the program's output for errors, and shows its warnings.

const keptBytes = 16_384;
const mostShown = 1_000;
const warning = /^\S+Z (?:warning|error|critical) +(.*)$/;

export const toTerminal = (line) => process.stderr.write(`${line}\n`);

export class Lines {
  /** The last part of the output. */
  text = '';
  #rest = '';
  #shown = new Set();
  #show;

  /** Calls `show` once for each line: misses, refused requests, the page's link. */
  constructor(show) {
    this.#show = show;
  }

  add(text) {
    this.text = (this.text + text).slice(-keptBytes);
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop().slice(-keptBytes);
    for (const line of lines) {
      const found = warning.exec(line);
      if (found) this.say(found[1]);
    }
  }

  say(line) {
    if (this.#shown.has(line) || this.#shown.size >= mostShown) return;
    this.#shown.add(line);
    this.#show(`[tapedeck] ${line}`);
  }
}
