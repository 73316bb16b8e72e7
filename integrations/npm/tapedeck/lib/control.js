// Calls the control API of one run (docs/control-api.md).

export class Control {
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  async get(path, parameters = {}) {
    return this.#ask('GET', `${path}?${new URLSearchParams(parameters)}`.replace(/\?$/, ''));
  }

  async post(path, body) {
    return this.#ask('POST', path, JSON.stringify(body));
  }

  async #ask(method, path, body) {
    const headers = { 'X-Tapedeck-Token': this.token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    const answer = await fetch(this.url + path, { method, headers, body }).catch(({ cause, message }) => {
      throw new Error(`Tapedeck: the server at ${this.url} is gone (${cause?.code ?? message})`);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    const error = new Error(`Tapedeck: ${method} ${path}: ${answer.status} ${text}`);
    error.status = answer.status;
    throw error;
  }
}
