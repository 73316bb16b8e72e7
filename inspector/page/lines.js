// Determines the lines of the list: requests that match the filter, with equal ones in a row folded into one line.

/** Returns true for requests that look the same in the list. */
const sameness = (row) => (row.gap ? null : [row.key, row.outcome, row.status, row.code, row.session, row.scope, row.overlay, row.verb, row.part].join('\n'));

/** A line is `{id, row, group, isInner}`; `changes` is the number of changes of a folded line. */
export class Lines {
  items = [];
  count = 0; ///< requests that fit
  isFolding = true;
  #fits;
  #groups = [];
  #seen = { from: 0, to: 0 }; ///< numbers of the rows that were looked at

  constructor(fits) {
    this.#fits = fits;
  }

  /** Starts again after a change of the filter or the folding. */
  reset() {
    this.items = [];
    this.count = 0;
    this.#groups = [];
    this.#seen = { from: 0, to: 0 };
  }

  /** Applies the additions and removals in `rows` since the last call. */
  update(rows) {
    const oldest = rows[0]?.number ?? Infinity;
    if (rows.length === 0) this.reset();
    if (oldest < this.#seen.from) this.#prepend(rows.slice(0, rows.findIndex((row) => row.number >= this.#seen.from)));
    if (oldest > this.#seen.from) this.#drop(oldest);
    let fresh = rows.length;
    while (fresh > 0 && rows[fresh - 1].number > this.#seen.to) --fresh;
    for (let i = fresh; i < rows.length; ++i) {
      if (this.#fits(rows[i])) this.#add(rows[i]);
    }
    if (rows.length > 0) this.#seen = { from: oldest, to: rows.at(-1).number };
  }

  /** Shows the requests of a folded line, or hides them. */
  toggle(group) {
    group.isOpen = !group.isOpen;
    this.#lay();
  }

  /** Returns the position of the line that contains request `number`, or -1. */
  indexOf(number) {
    const inner = this.items.findIndex((item) => item.row.number === number && (item.isInner || item.group.rows.length === 1));
    return inner >= 0 ? inner : this.items.findIndex(({ group }) => group.rows[0].number <= number && group.rows.at(-1).number >= number && group.rows.some((row) => row.number === number));
  }

  #add(row) {
    if (!row.gap) ++this.count;
    const same = this.isFolding ? sameness(row) : null;
    const last = this.#groups.at(-1);
    if (last && same !== null && last.same === same) {
      last.rows.push(row);
      last.head.row = row;
      ++last.head.changes;
      if (last.isOpen) this.items.push(inner(last, row));
      return;
    }
    const group = { same, rows: [row], isOpen: false };
    group.head = { id: `g${row.number}`, row, group, isInner: false, changes: 0 };
    this.#groups.push(group);
    this.items.push(group.head);
  }

  /** Adds rows before all others. The lines that exist stay the same. */
  #prepend(rows) {
    const before = new Lines(this.#fits);
    before.isFolding = this.isFolding;
    before.update(rows);
    const [last, first] = [before.#groups.at(-1), this.#groups[0]];
    if (last && first && last.same !== null && last.same === first.same) {
      first.rows.unshift(...last.rows);
      before.#groups.pop();
    }
    this.count += before.count;
    this.#groups.unshift(...before.#groups);
    this.#lay();
  }

  #drop(oldest) {
    let gone = 0;
    while (this.#groups.length > gone && this.#groups[gone].rows.at(-1).number < oldest) {
      this.count -= this.#groups[gone].rows.filter((row) => !row.gap).length;
      ++gone;
    }
    this.#groups.splice(0, gone);
    const first = this.#groups[0];
    const left = first ? first.rows.findIndex((row) => row.number >= oldest) : 0;
    if (left > 0) {
      first.rows.splice(0, left);
      this.count -= left;
      ++first.head.changes;
    }
    if (gone > 0 || left > 0) this.#lay();
  }

  #lay() {
    this.items = [];
    for (const group of this.#groups) {
      this.items.push(group.head);
      ++group.head.changes;
      if (group.isOpen && group.rows.length > 1) for (const row of group.rows) this.items.push(inner(group, row));
    }
  }
}

const inner = (group, row) => ({ id: `r${row.number}`, row, group, isInner: true, changes: 0 });
