// Remembers the requests that somebody pinned. They stay when the list drops old ones.

const most = 20;

class Pins extends EventTarget {
  #rows = new Map();

  has(number) {
    return this.#rows.has(number);
  }
  get rows() {
    return [...this.#rows.values()];
  }
  toggle(row) {
    if (!this.#rows.delete(row.number) && this.#rows.size < most) this.#rows.set(row.number, row);
    this.dispatchEvent(new Event('change'));
  }
}

export const pins = new Pins();
