// Filters the requests. One text contains the whole filter, so that chips, counters, and the search field always agree:
//   outcome:miss outcome:refused api:Core.Share session:2 -method:get words
// Terms of one field are alternatives, different fields and words must all match, and a minus sign excludes.

const fields = {
  api: (row, text) => (row.api ?? '').toLowerCase().includes(text),
  method: (row, text) => (row.method ?? '').toLowerCase() === text,
  outcome: (row, text) => (row.outcome ?? '').replaceAll(' ', '-').startsWith(text.replaceAll(' ', '-')),
  session: (row, text) => row.session?.toLowerCase() === text || row.session?.toLowerCase() === `session ${text}`,
  scope: (row, text) => (row.scope ?? '').toLowerCase().includes(text),
  key: (row, text) => (row.key ?? '').toLowerCase().includes(text),
  status: (row, text) => String(row.status ?? '') === text,
  code: (row, text) => String(row.code ?? '') === text,
  overlay: (row, text) => (row.overlay ?? '').toLowerCase().includes(text),
};
const anywhere = (row, text) => [row.key, row.api, row.method, row.outcome, row.reason, row.match, row.overlay].some((part) => part?.toLowerCase().includes(text));

/** Returns `[{field, text, isNot}]` for a search. A term with an unknown field is a word. */
export function parse(search) {
  return [...search.matchAll(/(-?)(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)].map(([whole, minus, name, quoted, plain]) => {
    const field = name?.toLowerCase();
    const isKnown = field !== undefined && field in fields;
    const text = isKnown || name === undefined ? quoted ?? plain : whole.slice(minus.length);
    return { field: isKnown ? field : undefined, text: text.toLowerCase(), isNot: minus === '-' };
  });
}

const quoted = (text) => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text);

class Filter extends EventTarget {
  #text = '';
  #terms = [];

  get text() {
    return this.#text;
  }
  set text(text) {
    this.#text = text;
    this.#terms = parse(text);
    this.dispatchEvent(new Event('change'));
  }

  get isEmpty() {
    return this.#terms.length === 0;
  }
  has(field, text) {
    return this.#terms.some((term) => term.field === field && term.text === text.toLowerCase() && !term.isNot);
  }
  hasField(field) {
    return this.#terms.some((term) => term.field === field);
  }

  /** Adds the term, or removes it. */
  toggle(field, text) {
    const kept = this.#terms.filter((term) => !(term.field === field && term.text === text.toLowerCase()));
    this.text = this.#written(kept.length < this.#terms.length ? kept : [...this.#terms, { field, text }]);
  }
  /** Replaces every term of a field by this one; without text it only removes them. */
  set(field, text) {
    const kept = this.#terms.filter((term) => term.field !== field);
    this.text = this.#written(text === undefined ? kept : [...kept, { field, text }]);
  }
  #written(terms) {
    return terms.map(({ field, text, isNot }) => `${isNot ? '-' : ''}${field ? `${field}:` : ''}${quoted(text)}`).join(' ');
  }

  fits(row) {
    if (this.isEmpty) return true;
    if (row.gap) return false;
    const wanted = new Map();
    for (const { field, text, isNot } of this.#terms) {
      const holds = (field ? fields[field] : anywhere)(row, text);
      if (isNot || !field) {
        if (holds === isNot) return false;
      } else {
        wanted.set(field, wanted.get(field) || holds);
      }
    }
    return [...wanted.values()].every(Boolean);
  }
}

export const filter = new Filter();
