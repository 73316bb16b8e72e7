// A typical test suite for a client of the device: each test logs in by itself, some wrongly, and all share accounts and
// the device's state. It does not depend on recordings, except that each test names its scope.
//   SUITE_URL      base URL of the device
//   SUITE_SCOPE    how a test sends its scope: header, path, none (default)
//   SUITE_ORDER    seed for the shuffled order of the tests
//   SUITE_AT_ONCE  how many tests run at a time
//   SUITE_ONLY     the name of the only test to run
//   SUITE_TWICE    each test runs twice, the second time as another run of its scope
//   SUITE_GROWN    also runs the tests that were added later; "only": runs only these
//   SUITE_BREAK    the name of a test that fails at its end
//   SUITE_REPORT   reports each test's result to the control API

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

const base = process.env.SUITE_URL ?? process.env.TAPEDECK_URL;
const how = process.env.SUITE_SCOPE ?? 'none';
const account = 'fixture-admin', coded = 'fixture-coded', brief = 'fixture-brief';
const password = 'Corr3ct&Horse/Battery=9';

/** The client of one test. */
class Client {
  #scope;
  sid = '';
  constructor(scope) {
    this.#scope = scope;
  }

  async call(name, params = {}) {
    const [api, version, method] = name.split('/');
    const query = new URLSearchParams({ api: `SYNO.${api}`, version, method, ...params });
    if (this.sid) query.set('_sid', this.sid);
    const before = how === 'path' ? `/~scope/${this.#scope.replace('#', ';')}` : '';
    const headers = how === 'header' ? { 'X-Tapedeck-Scope': this.#scope } : {};
    const answer = await fetch(`${base}${before}/webapi/entry.cgi?${query}`, { headers });
    return answer.json();
  }

  async logIn(more = {}) {
    const answer = await this.call('API.Auth/6/login', { account, passwd: password, format: 'sid', ...more });
    if (answer.success) this.sid = answer.data.sid;
    return answer;
  }

  async data(name, params) {
    const answer = await this.call(name, params);
    assert.equal(answer.success, true, `${name}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  async code(name, params) {
    return (await this.call(name, params)).error?.code;
  }
}

const loggedIn = async (client) => assert.equal((await client.logIn()).success, true);

const tests = {
  'logs in with the right password': async (c) => {
    await loggedIn(c);
    assert.ok(c.sid.length > 20);
  },
  'is refused with the wrong password': async (c) => {
    const answer = await c.logIn({ passwd: 'made-up-and-wrong' });
    assert.equal(answer.error.code, 400);
  },
  'is refused once, and then gets in': async (c) => {
    assert.equal((await c.logIn({ passwd: 'made-up-and-wrong' })).error.code, 400);
    await loggedIn(c);
    assert.equal((await c.data('Core.Network/1/get')).server_name, 'fixture-nas');
  },
  'an unknown account is refused': async (c) => {
    assert.equal((await c.logIn({ account: 'nobody' })).error.code, 400);
  },
  'two factors: asks for the code': async (c) => {
    assert.equal((await c.logIn({ account: coded })).error.code, 403);
  },
  'two factors: a wrong code is refused': async (c) => {
    assert.equal((await c.logIn({ account: coded })).error.code, 403);
    assert.equal((await c.logIn({ account: coded, otp_code: '111111' })).error.code, 404);
  },
  'two factors: the right code gets in': async (c) => {
    assert.equal((await c.logIn({ account: coded })).error.code, 403);
    assert.equal((await c.logIn({ account: coded, otp_code: '424242' })).success, true);
    assert.equal((await c.data('DSM.Info/2/getinfo')).model, 'FX-100');
  },
  'two accounts at once': async (c, scope) => {
    const other = new Client(scope);
    await loggedIn(c);
    assert.equal((await other.logIn({ account: coded })).error.code, 403);
    assert.equal((await other.logIn({ account: coded, otp_code: '424242' })).success, true);
    assert.notEqual(c.sid, other.sid);
    assert.equal((await other.data('Core.Network/1/get')).gateway, '192.0.2.1');
    assert.equal((await c.data('Core.System.Utilization/1/get')).cpu.user_load, 3);
  },
  'a session ends in the middle, and the client logs in again': async (c) => {
    assert.equal((await c.logIn({ account: brief })).success, true);
    assert.equal((await c.data('Core.Network/1/get')).server_name, 'fixture-nas');
    assert.equal(await c.code('Core.Network/1/get'), 106);
    assert.equal(await c.code('Core.Network/1/get'), 119);
    assert.equal((await c.logIn({ account: brief })).success, true);
    assert.equal((await c.data('Core.Network/1/get')).server_name, 'fixture-nas');
  },
  'nothing works after the logout': async (c) => {
    await loggedIn(c);
    await c.data('Core.FileServ.SMB/1/get');
    await c.data('API.Auth/6/logout');
    assert.equal(await c.code('Core.FileServ.SMB/1/get'), 119);
  },
  'nothing works without a session': async (c) => {
    assert.equal(await c.code('Core.FileServ.SMB/1/get'), 119);
  },
  'a group is created': async (c) => {
    await loggedIn(c);
    const before = (await c.data('Core.Group/1/list')).total;
    await c.data('Core.Group/1/create', { name: 'painters', description: 'one' });
    const { groups, total } = await c.data('Core.Group/1/list');
    assert.equal(total, before + 1);
    assert.ok(groups.some((group) => group.name === 'painters'));
  },
  'a group that is there cannot be created': async (c) => {
    await loggedIn(c);
    const names = (await c.data('Core.Group/1/list')).groups.map((group) => group.name);
    assert.deepEqual(names, ['painters']);
    assert.equal(await c.code('Core.Group/1/create', { name: 'painters', description: 'one' }), 3201);
  },
  'a group is deleted': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.Group/1/list')).total, 1);
    await c.data('Core.Group/1/delete', { name: 'painters' });
    assert.equal((await c.data('Core.Group/1/list')).total, 0);
  },
  'a group that is not there cannot be deleted': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.Group/1/list')).total, 0);
    assert.equal(await c.code('Core.Group/1/delete', { name: 'painters' }), 3205);
  },
  'two groups come and go': async (c) => {
    await loggedIn(c);
    for (const name of ['one', 'two']) await c.data('Core.Group/1/create', { name, description: 'of two' });
    assert.equal((await c.data('Core.Group/1/list')).total, 2);
    for (const name of ['one', 'two']) await c.data('Core.Group/1/delete', { name });
    assert.equal((await c.data('Core.Group/1/list')).total, 0);
  },
  'a scan is polled to its end': async (c) => {
    await loggedIn(c);
    await c.data('Core.SecurityScan.Operation/1/start', { items: 'ALL' });
    const seen = [];
    for (let i = 0; i < 10 && seen.at(-1) !== 100; ++i) {
      seen.push((await c.data('Core.SecurityScan.Status/1/system_get')).sysProgress);
    }
    assert.deepEqual(seen, [0, 50, 100]);
  },
  'a scan that is over stays at its end': async (c) => {
    await loggedIn(c);
    for (let i = 0; i < 2; ++i) {
      assert.equal((await c.data('Core.SecurityScan.Status/1/system_get')).sysProgress, 100);
    }
  },
  'a setting is what it was': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.FileServ.SMB/1/get')).workgroup, 'WORKGROUP');
  },
  'a setting is changed and read back': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.FileServ.SMB/1/get')).workgroup, 'WORKGROUP');
    await c.data('Core.FileServ.SMB/1/set', { workgroup: 'STUDIO' });
    assert.equal((await c.data('Core.FileServ.SMB/1/get')).workgroup, 'STUDIO');
  },
  'a setting is changed back': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.FileServ.SMB/1/get')).workgroup, 'STUDIO');
    await c.data('Core.FileServ.SMB/1/set', { workgroup: 'WORKGROUP' });
    assert.equal((await c.data('Core.FileServ.SMB/1/get')).workgroup, 'WORKGROUP');
  },
  'a setting of the session is changed': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('Core.Terminal/3/get')).enable_ssh, false);
    await c.data('Core.Terminal/3/set', { enable_ssh: 'true' });
    assert.equal((await c.data('Core.Terminal/3/get')).enable_ssh, true);
  },
  'the load rises with each look at it': async (c) => {
    await loggedIn(c);
    for (const load of [3, 10, 17]) {
      assert.equal((await c.data('Core.System.Utilization/1/get')).cpu.user_load, load);
    }
  },
  'a call that nobody may make is refused': async (c) => {
    await loggedIn(c);
    assert.equal(await c.code('Core.User/1/list'), 105);
  },
};

/** Tests that were written after the recording. */
const later = {
  'later: a wrong password is refused': async (c) => {
    assert.equal((await c.logIn({ passwd: 'another-wrong-one' })).error.code, 400);
    assert.equal(await c.code('Core.FileServ.SMB/1/get'), 119);
  },
  'later: a session ends while its client polls': async (c) => {
    assert.equal((await c.logIn({ account: brief })).success, true);
    assert.equal((await c.data('Core.System.Utilization/1/get')).cpu.user_load, 3);
    assert.equal(await c.code('Core.System.Utilization/1/get'), 106);
    assert.equal((await c.logIn({ account: brief })).success, true);
    assert.equal((await c.data('Core.System.Utilization/1/get')).cpu.user_load, 3);
  },
  'later: the shares are listed': async (c) => {
    await loggedIn(c);
    assert.ok((await c.data('Core.Share/1/list')).shares.length > 0);
  },
  'later: the code is asked for, and the network read': async (c) => {
    assert.equal((await c.logIn({ account: coded })).error.code, 403);
    assert.equal((await c.logIn({ account: coded, otp_code: '424242' })).success, true);
    assert.equal((await c.data('Core.Network/1/get')).gateway, '192.0.2.1');
  },
  'later: the station says what it is': async (c) => {
    await loggedIn(c);
    assert.equal((await c.data('DSM.Info/2/getinfo')).model, 'FX-100');
    assert.equal((await c.data('Core.Terminal/3/get')).enable_ssh, false);
  },
};

/** Returns the same result for the same number on every machine. */
function shuffled(names, seed) {
  const order = [...names];
  let state = BigInt(seed) + 0x9e3779b97f4a7c15n;
  for (let i = order.length - 1; i > 0; --i) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    const j = Number((state >> 33n) % BigInt(i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Does the same as the packages for test runners. */
async function report(scope, ok) {
  const headers = { 'X-Tapedeck-Token': process.env.TAPEDECK_TOKEN, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: scope, ok });
  const answer = await fetch(`${process.env.TAPEDECK_CONTROL_URL}/scope/result`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200);
}

const grown = process.env.SUITE_GROWN;
const all = { ...(grown === 'only' ? {} : tests), ...(grown ? later : {}) };
let names = Object.keys(all);
if (process.env.SUITE_ONLY) names = names.filter((name) => name === process.env.SUITE_ONLY);
if (process.env.SUITE_ORDER) names = shuffled(names, process.env.SUITE_ORDER);
const runs = process.env.SUITE_TWICE ? ['', '#2'] : [''];

describe('the device', { concurrency: Number(process.env.SUITE_AT_ONCE ?? 1) }, () => {
  for (const run of runs) {
    for (const name of names) {
      const scope = encodeURIComponent(name) + run;
      test(name + run, async () => {
        let ok = false;
        try {
          await all[name](new Client(scope), scope);
          assert.notEqual(name, process.env.SUITE_BREAK);
          ok = true;
        } finally {
          if (process.env.SUITE_REPORT) await report(scope, ok);
        }
      });
    }
  }
});

