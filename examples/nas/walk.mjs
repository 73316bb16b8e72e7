// The calls of device.json, made one after the other: a login, the walk, a logout.
import { described } from './device.mjs';

const target = (call, params) => {
  const [api, version, method] = call.split('/');
  return `/webapi/entry.cgi?${new URLSearchParams({ api, version, method, ...params })}`;
};

async function ask(base, call, params) {
  const answer = await fetch(base + target(call, params));
  return { call, params, body: await answer.text(), outcome: answer.headers.get('x-tapedeck-outcome') };
}

/** Resolves to what was answered, call by call, the login and the logout aside. */
export async function walk(base) {
  const { account } = described;
  const login = await ask(base, 'SVC.API.Auth/7/login',
    { account: account.name, passwd: account.password, format: 'sid', enable_syno_token: 'yes' });
  const { sid, synotoken } = JSON.parse(login.body).data;
  const answers = [];
  for (const { call, params, compound } of described.walk) {
    const more = compound ? { mode: 'sequential', compound: JSON.stringify(compound) } : {};
    answers.push(await ask(base, call, { ...params, ...more, _sid: sid, SynoToken: synotoken }));
  }
  await ask(base, 'SVC.API.Auth/7/logout', { _sid: sid });
  return answers;
}
