// Makes the calls of device.json in order: a login, the walk, a logout.
import { described } from './device.mjs';

const target = (call, params) => {
  const [api, version, method] = call.split('/');
  return `/webapi/entry.cgi?${new URLSearchParams({ api, version, method, ...params })}`;
};

async function ask(base, call, params, label) {
  const answer = await fetch(base + target(call, params).replaceAll('SVC.', `${label}.`));
  return { call, params, body: await answer.text(), outcome: answer.headers.get('x-tapedeck-outcome') };
}

/** Resolves to the responses, call by call, without those of login and logout. `label` is the first part of API names. */
export async function walk(base, label = 'SVC') {
  const { account } = described;
  const login = await ask(base, 'SVC.API.Auth/7/login',
    { account: account.name, passwd: account.password, format: 'sid', enable_syno_token: 'yes' }, label);
  const { sid, synotoken } = JSON.parse(login.body).data;
  const answers = [];
  for (const { call, params, compound } of described.walk) {
    const more = compound ? { mode: 'sequential', compound: JSON.stringify(compound) } : {};
    answers.push(await ask(base, call, { ...params, ...more, _sid: sid, SynoToken: synotoken }, label));
  }
  await ask(base, 'SVC.API.Auth/7/logout', { _sid: sid }, label);
  return answers;
}
