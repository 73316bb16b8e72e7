// A typical client: it reads the device's host name and its disks.

export async function ask(base, api, version, method, parameters = {}) {
  const query = new URLSearchParams({ api, version, method, ...parameters });
  const answer = await fetch(`${base}/webapi/entry.cgi?${query}`);
  const { success, data, error } = await answer.json();
  if (!success) throw new Error(`${api} ${method}: error ${error.code}`);
  return data;
}

export async function logIn(base) {
  const { sid } = await ask(base, 'SVC.API.Auth', 7, 'login', { account: 'robin', passwd: 'made up', format: 'sid' });
  return (api, version, method, parameters) => ask(base, api, version, method, { ...parameters, _sid: sid });
}
