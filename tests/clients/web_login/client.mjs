// A client of the device's web login, for Node and for a page: the initiator of Noise IK and KK, encrypted logins, and the
// hash of each later request. Its ciphers come from packages, so that it shares no code with device.mjs and the product.

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { hmac } from '@noble/hashes/hmac.js';

const none = new Uint8Array();
const utf8 = new TextEncoder();

const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

export const toBase64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

function seal(key, counter, additional) {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(4, BigInt(counter), true);
  return chacha20poly1305(key, nonce, additional);
}

/** The initiator's side of one handshake. */
export class Initiator {
  constructor(pattern, own, serverKey, ephemeral = x25519.utils.randomPrivateKey()) {
    const name = utf8.encode(`Noise_${pattern}_25519_ChaChaPoly_BLAKE2b`);
    Object.assign(this, { pattern, own, serverKey, ephemeral, key: none, counter: 0 });
    this.hash = new Uint8Array(64);
    this.hash.set(name);
    this.chain = this.hash;
    this.#mixHash(none);
    if (pattern === 'KK') this.#mixHash(x25519.getPublicKey(own));
    this.#mixHash(serverKey);
  }

  #mixHash(bytes) {
    this.hash = blake2b(join(this.hash, bytes));
  }

  #derive(secret) {
    const key = hmac(blake2b, this.chain, secret);
    const first = hmac(blake2b, key, Uint8Array.of(1));
    return [first, hmac(blake2b, key, join(first, [2]))];
  }

  #mix(own, other) {
    [this.chain, this.key] = this.#derive(x25519.getSharedSecret(own, other));
    this.key = this.key.slice(0, 32);
    this.counter = 0;
  }

  #encrypt(text) {
    const sealed = seal(this.key, this.counter++, this.hash).encrypt(text);
    this.#mixHash(sealed);
    return sealed;
  }

  /** Returns message 1. */
  write(payload) {
    const ephemeral = x25519.getPublicKey(this.ephemeral);
    this.#mixHash(ephemeral);
    this.#mix(this.ephemeral, this.serverKey);
    const sent = this.pattern === 'IK' ? this.#encrypt(x25519.getPublicKey(this.own)) : none;
    this.#mix(this.own, this.serverKey);
    return toBase64url(join(ephemeral, sent, this.#encrypt(utf8.encode(payload))));
  }

  /** Reads message 2; throws if it does not belong to message 1. */
  read(message) {
    const bytes = fromBase64url(message);
    this.#mixHash(bytes.slice(0, 32));
    this.#mix(this.ephemeral, bytes.slice(0, 32));
    this.#mix(this.own, bytes.slice(0, 32));
    seal(this.key, 0, this.hash).decrypt(bytes.slice(32));
    this.#mixHash(bytes.slice(32));
    this.sendKey = this.#derive(none)[0].slice(0, 32);
    this.sent = 0;
  }

  /** Returns the value of X-SYNO-HASH for the next request. */
  requestHash() {
    const tag = seal(this.sendKey, this.sent, none).encrypt(none);
    return `${toBase64url(this.hash).slice(0, 8)}${toBase64url(tag)}.${toBase64url(utf8.encode(String(this.sent++)))}`;
  }
}

/** A session. `send(path, form, headers)` returns the parsed response and notes cookies; `ssid()` returns the cookie `_SSID`;
 * `store` keeps strings over a reload. `encrypt(info, form)` returns the fields of an encrypted login. */
export class WebSession {
  constructor({ send, ssid, store, encrypt }) {
    Object.assign(this, { send, ssid, store, encrypt });
  }

  async #form(path, form, headers = {}) {
    return this.send(path, new URLSearchParams(form).toString(), headers);
  }

  /** Makes message 1 of a login with a new key. Returns the parameters of the login. */
  async begin() {
    await this.#form('/webapi/entry.cgi/SYNO.API.Auth.UIConfig', { api: 'SYNO.API.Auth.UIConfig', method: 'get', version: 1 });
    const own = x25519.utils.randomPrivateKey();
    this.store.ownKey = toBase64url(own);
    this.noise = new Initiator('IK', own, fromBase64url(this.ssid()));
    return { ik_message: this.noise.write(JSON.stringify({ time: Math.floor(Date.now() / 1000) })) };
  }

  async logIn(account, passwd, { handshake = true, encrypted = false, inside = false, fields } = {}) {
    const message = fields ?? (handshake ? await this.begin() : {});
    const open = { api: 'SYNO.API.Auth', version: 7, method: 'login', enable_syno_token: 'yes', client: 'browser' };
    let secret = { account, passwd, session: 'webui', format: 'cookie', logintype: 'local', ...(inside && message) };
    if (encrypted) {
      const form = { api: 'SYNO.API.Encryption', version: 1, method: 'getinfo', format: 'module' };
      const info = (await this.#form('/webapi/encryption.cgi', form)).data;
      secret = this.encrypt(info, { ...secret, [info.ciphertoken]: info.server_time });
    }
    const answer = await this.#form('/webapi/entry.cgi', { ...open, ...secret, ...(!inside && message) });
    if (!answer.success) return answer;
    this.store.token = answer.data.synotoken;
    if (answer.data.ik_message) this.noise.read(answer.data.ik_message);
    else this.noise = undefined;
    return answer;
  }

  /** Continues the session after a reload. */
  async resume() {
    this.noise = new Initiator('KK', fromBase64url(this.store.ownKey), fromBase64url(this.ssid()));
    const form = { api: 'SYNO.API.Auth', version: 7, method: 'resume', session: 'webui', kk_message: this.noise.write('') };
    const answer = await this.#form('/webapi/entry.cgi', form);
    if (!answer.success) return answer;
    this.store.token = answer.data.synotoken;
    this.noise.read(answer.data.kk_message);
    return answer;
  }

  async call(api, version, method, headers) {
    const hash = this.noise ? { 'X-SYNO-HASH': this.noise.requestHash() } : {};
    return this.#form('/webapi/entry.cgi', { api, version, method }, { 'X-SYNO-TOKEN': this.store.token, ...hash, ...headers });
  }

  logOut() {
    return this.call('SYNO.API.Auth', 7, 'logout');
  }
}
