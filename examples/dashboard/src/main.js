import { call, DeviceError, logIn } from './api.js';
import { backup, files, settings } from './changes.js';
import { element, line, rows, volume } from './view.js';

const at = (id) => document.getElementById(id);
const poll = Number(new URLSearchParams(location.search).get('poll') ?? 2000); // milliseconds

/** Shows one part of the page. A failure is shown in this part, and the other parts continue. */
async function show(place, load) {
  try {
    await load(at(place));
  } catch (error) {
    at(place).replaceChildren(element('p', { class: 'error' }, error.message));
  }
}

async function system() {
  const [{ server_name: name }, info] = await Promise.all([call('Core.Network', 2, 'get'), call('Core.System', 3, 'info')]);
  at('name').textContent = name;
  at('system').textContent = `${info.model}, ${info.firmware_ver}, ${info.sys_temp} °C`;
}

/** Loads the part again. The previous content stays if there is no response. */
async function again() {
  try {
    await utilisation(at('load'));
    at('connection').textContent = '';
  } catch (error) {
    at('connection').textContent = `No connection: ${error.message}`;
  }
}

const load = [];
async function utilisation(svg) {
  const { cpu } = await call('Core.System.Utilization', 1, 'get');
  load.push(cpu.system_load + cpu.user_load + cpu.other_load);
  line(svg, load.slice(-30));
}

async function findings(list) {
  const { items } = await call('Core.SecurityScan.Status', 1, 'rule_get', { items: '"ALL"' });
  const failed = Object.values(items).filter(({ status }) => status === 'fail');
  list.replaceChildren(...failed.map(({ id, severity }) => element('li', { class: severity }, `${severity}: ${id}`)));
}

async function scan() {
  at('progress').hidden = false;
  await call('Core.SecurityScan.Operation', 1, 'start', { items: '"ALL"' });
  for (;;) {
    const { sysProgress } = await call('Core.SecurityScan.Status', 1, 'system_get');
    at('progress').value = sysProgress;
    if (sysProgress >= 100) break;
    await new Promise((wake) => setTimeout(wake, poll));
  }
  await findings(at('findings'));
  at('progress').hidden = true;
}

try {
  await logIn('demo', 'an-invented-password-4711');
  await Promise.all([
    show('system', system),
    show('volumes', async (list) => {
      const { volumes } = await call('Core.Storage.Volume', 1, 'list');
      list.replaceChildren(...(volumes.length ? volumes.map(volume) : [element('li', {}, 'No volume yet.')]));
    }),
    show('shares', async (body) => {
      const { shares } = await call('Core.Share', 1, 'list');
      rows(body, shares.map(({ name, vol_path: path, desc }) => [name, path, desc]));
    }),
    show('users', async (body) => {
      const { users } = await call('Core.User', 1, 'list');
      rows(body, users.map(({ name, description, expired }) => [name, description, expired === 'now' ? 'off' : 'on']));
    }),
    show('network', async (list) => {
      const net = await call('Core.Network', 2, 'get');
      const facts = { Gateway: net.gateway, Address: net.gateway_info.ip, DNS: net.dns_primary, IPv6: net.v6gateway };
      list.replaceChildren(...Object.entries(facts).flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]));
    }),
    show('load', utilisation),
    show('snmp', settings),
    show('files', files),
    show('backup', backup),
  ]);
  at('scan').addEventListener('click', () => show('findings', scan));
  setInterval(again, poll);
} catch (error) {
  at('system').textContent = error instanceof DeviceError ? `Login refused (${error.code})` : error.message;
}
