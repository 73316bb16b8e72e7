// Calls the Device Management Web API for a page: one endpoint, one session, errors as exceptions.

export class DeviceError extends Error {
  constructor(call, code) {
    super(`${call} answered error ${code}`);
    this.code = code;
  }
}

let session;

async function ask(params) {
  const answer = await fetch(`/webapi/entry.cgi?${new URLSearchParams(params)}`);
  const text = await answer.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error(`${params.api} answered no JSON (status ${answer.status})`);
  }
  if (!body.success) throw new DeviceError(`${params.api} ${params.method}`, body.error?.code);
  return body.data;
}

export async function logIn(account, passwd) {
  session = await ask({ api: 'SVC.API.Auth', version: 7, method: 'login', account, passwd, format: 'sid', enable_syno_token: 'yes' });
}

export function call(api, version, method, params = {}) {
  return ask({ api: `SVC.${api}`, version, method, ...params, _sid: session.sid, SynoToken: session.synotoken });
}
