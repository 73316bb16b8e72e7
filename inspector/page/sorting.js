// Sorts the requests by a column.

const by = {
  number: ({ number }) => number,
  outcome: ({ outcome }) => outcome ?? '',
  call: ({ key }) => key ?? '',
  status: ({ status, code }) => (code || 0) * 1000 + (status ?? 0),
  who: ({ scope = '', session = '' }) => `${scope} ${session}`,
  size: ({ bytes }) => bytes ?? -1,
  duration: ({ duration_us: us }) => us ?? -1,
  time: ({ at_us: us }) => -(us ?? 0),
};
export const sortable = Object.keys(by);

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The chosen order. By number, from the first on, the list grows at its end and folds equal requests. */
class Sorting extends EventTarget {
  column = 'number';
  isDescending = false;

  get isUsual() {
    return this.column === 'number' && !this.isDescending;
  }
  /** Sorts by the column, or in the other direction if it was the chosen one. */
  choose(column) {
    this.isDescending = this.column === column && !this.isDescending;
    this.column = column;
    this.dispatchEvent(new Event('change'));
  }
  apply(rows) {
    const value = by[this.column];
    const sign = this.isDescending ? -1 : 1;
    return rows.sort((a, b) => sign * compare(value(a), value(b)) || a.number - b.number);
  }
}

export const sorting = new Sorting();
