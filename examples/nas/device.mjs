// The device that device.json describes, on loopback. It responds as a device does, with sessions, and accepts `SYNO.` for
// `SVC.` in the names of APIs.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';

export const described = JSON.parse(readFileSync(new URL('device.json', import.meta.url), 'utf8'));

const envelope = (body) => JSON.stringify(body);
const failed = (code) => envelope({ error: { code }, success: false });
const plain = (value) => String(value ?? '').replace(/^"(.*)"$/, '$1');

/** The calls of one session: the number of times that each was made. */
class Walk {
  #made = new Map();

  answer(call, params) {
    const fits = (one) => one.call === call && (!one.after || this.#made.has(one.after)) &&
      Object.entries(one.params ?? {}).every(([name, value]) => plain(params.get(name)) === plain(value));
    const candidates = described.operations.filter(fits);
    const weight = (one) => (one.after ? 1000 : 0) + Object.keys(one.params ?? {}).length;
    const best = candidates.sort((a, b) => weight(b) - weight(a))[0];
    if (!best) return this.#unknown(call);
    const turn = this.#made.get(best) ?? 0;
    this.#made.set(best, turn + 1);
    if (best.error) return failed(best.error.code);
    this.#made.set(call, true);
    const step = best.steps ? best.steps[Math.min(turn, best.steps.length - 1)].data : best.data;
    return envelope({ data: step, success: true });
  }

  #unknown(call) {
    const [api, version] = call.split('/');
    const same = described.operations.filter((one) => one.call.startsWith(api + '/'));
    if (same.length === 0) return failed(102);
    return failed(same.some((one) => one.call.startsWith(`${api}/${version}/`)) ? 103 : 104);
  }
}

function logIn(params) {
  const { account, session } = described;
  if (params.get('account') !== account.name || params.get('passwd') !== account.password) return failed(400);
  const data = { account: account.name, is_portal_port: false, sid: session.sid };
  if (params.get('enable_syno_token') === 'yes') data.synotoken = session.synotoken;
  if (params.get('enable_device_token') === 'yes') data.did = session.did;
  return envelope({ data, success: true });
}

function compound(walk, params) {
  const result = JSON.parse(params.get('compound')).map(({ api, version, method, ...rest }) => {
    const { data, error, success } = JSON.parse(walk.answer(`${api}/${version}/${method}`, new Map(Object.entries(rest))));
    return { api, ...(success ? { data } : { error }), method, success, version };
  });
  return envelope({ data: { has_fail: result.some((one) => !one.success), result }, success: true });
}

/** Starts the device on a free loopback port; resolves to `{url, close()}`. */
export function startDevice() {
  let walk = new Walk();
  const server = createServer(async (request, response) => {
    let form = '';
    for await (const piece of request.setEncoding('utf8')) form += piece;
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?') + 1) : '';
    const params = new URLSearchParams(`${query}&${form}`.replaceAll('SYNO.', 'SVC.'));
    const call = `${params.get('api')}/${params.get('version')}/${params.get('method')}`;
    const open = call.startsWith('SVC.API.');
    let body;
    if (!params.get('api') || !params.get('version') || !params.get('method')) body = failed(101);
    else if (call.endsWith('/login')) body = logIn(params);
    else if (call.endsWith('/logout')) { walk = new Walk(); body = envelope({ success: true }); }
    else if (!open && params.get('_sid') !== described.session.sid) body = failed(119);
    else if (call.startsWith('SVC.Entry.Request/')) body = compound(walk, params);
    else body = walk.answer(call, params);
    response.writeHead(200, { 'Content-Type': 'application/json; charset="UTF-8"' });
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({
      url: `http://127.0.0.1:${server.address().port}`,
      close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
    }));
  });
}
