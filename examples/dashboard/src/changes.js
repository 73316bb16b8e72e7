// The parts of the page that change the device: settings, folders, and a backup.

import { call } from './api.js';
import { element } from './view.js';

const at = (id) => document.getElementById(id);
const folder = '/family';

/** Runs a change and shows its result in `place`. */
async function change(place, words, make) {
  try {
    await make();
    at(place).textContent = words;
  } catch (error) {
    at(place).textContent = error.message;
  }
}

export async function settings(form) {
  const data = await call('Core.SNMP', 1, 'get');
  form.enable_snmp.checked = data.enable_snmp;
  form.contact.value = data.contact;
  form.location.value = data.location;
  form.onsubmit = (event) => {
    event.preventDefault();
    const set = { enable_snmp: form.enable_snmp.checked, contact: JSON.stringify(form.contact.value), location: JSON.stringify(form.location.value) };
    return change('snmp-said', 'Saved.', () => call('Core.SNMP', 1, 'set', set));
  };
}

const nameOf = (text) => JSON.stringify([text]);

function entry({ name, path, isdir }) {
  const rename = async () => {
    const now = prompt('New name', name);
    if (now) await changeFiles(`Renamed to ${now}.`, ['FileStation.Rename', 2, 'rename', { path: nameOf(path), name: nameOf(now), folder_path: folder }]);
  };
  const remove = () => changeFiles(`Deleted ${name}.`, ['FileStation.Delete', 2, 'delete', { path: nameOf(path) }]);
  const made = element('li', {}, `${name}${isdir ? '/' : ''} `);
  if (!isdir) return made;
  for (const [word, act] of [['Rename', rename], ['Delete', remove]]) {
    const button = element('button', { type: 'button', 'aria-label': `${word} ${name}` }, word);
    button.onclick = act;
    made.append(button, ' ');
  }
  return made;
}

const changeFiles = (words, wanted) => change('files-said', words, async () => {
  await call(...wanted);
  await files(at('files'));
});

export async function files(list) {
  const { files: found } = await call('FileStation.List', 2, 'list', { folder_path: folder });
  list.replaceChildren(...found.map(entry));
  at('new-folder').onsubmit = (event) => {
    event.preventDefault();
    const { value } = event.target.name;
    event.target.reset();
    return changeFiles(`Created ${value}.`, ['FileStation.CreateFolder', 2, 'create', { folder_path: nameOf(folder), name: nameOf(value) }]);
  };
}

export async function backup(place) {
  const { state, last_backup_time: last } = await call('Backup.Config.Backup', 2, 'status');
  place.textContent = `State: ${state}, last backup ${last}`;
  at('start-backup').onclick = async () => {
    await change('backup', '', () => call('Backup.Config.Backup', 2, 'start'));
    await backup(place);
  };
}
