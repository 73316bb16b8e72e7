// Uses the npm client `syno`: system info, network, portals, and a security scan polled to its end. Prints the
// arguments of the client's callbacks as JSON. It is a separate program because NODE_EXTRA_CA_CERTS is read when node
// starts.
//   node syno_client.cjs BASE_URL ACCOUNT PASSWORD [--any-certificate]

const Syno = require('syno');

const [base, account, passwd, certificate] = process.argv.slice(2);
const url = new URL(base);
const syno = new Syno({
  protocol: url.protocol.replace(':', ''),
  host: url.hostname,
  port: url.port,
  account,
  passwd,
  apiVersion: '6.2',
  ignoreCertificateErrors: certificate === '--any-certificate',
});

const call = (name, params = {}) =>
  new Promise((resolve, reject) =>
    syno.dsm[name](params, (error, data) => (error ? reject(new Error(`${name}: ${error.message}`)) : resolve(data))),
  );

async function main() {
  const seen = {
    station: await call('getInfo'),
    system: await call('infoSystem'),
    network: await call('getNetwork'),
    portals: await call('listAppPortals', { additional: '["default_setting"]' }),
    started: await call('startSecurityScanOperation', { items: 'ALL' }),
    polls: [],
  };
  // A device takes about a minute; the tests' device advances with each poll. More polls than that are a failure.
  do {
    seen.polls.push(await call('systemGetSecurityScanStatus'));
  } while (seen.polls.at(-1).sysProgress !== 100 && seen.polls.length < 20);
  seen.rules = await call('ruleGetSecurityScanStatus', { items: 'ALL' });
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
