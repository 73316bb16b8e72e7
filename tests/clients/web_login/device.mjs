// A simulated device with a web login, for web_login.mjs. It responds as a device does: a login without the handshake gets a
// limited session, in which Core calls get error 105, and so does a call with a wrong or used hash. Its ciphers are those of
// Node (OpenSSL), written apart from the product and from client.mjs.

import {
  constants, createCipheriv, createDecipheriv, createHash, createHmac, createPrivateKey, createPublicKey, diffieHellman,
  generateKeyPairSync, privateDecrypt, randomBytes,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const x25519Public = Buffer.from('302a300506032b656e032100', 'hex');

const rawKey = (key) => key.export({ type: 'spki', format: 'der' }).subarray(-32);
const publicKey = (raw) => createPublicKey({ key: Buffer.concat([x25519Public, raw]), format: 'der', type: 'spki' });
const hash = (...parts) => createHash('blake2b512').update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac('blake2b512', key).update(Buffer.concat(parts)).digest();

function nonce(counter) {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(BigInt(counter), 4);
  return bytes;
}

function open(key, counter, additional, sealed) {
  const cipher = createDecipheriv('chacha20-poly1305', key, nonce(counter), { authTagLength: 16 });
  cipher.setAAD(additional, { plaintextLength: sealed.length - 16 });
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}

/** Reads message 1 and returns message 2 and the keys; throws for a wrong one. */
function respond(pattern, own, clientKey, message) {
  const bytes = Buffer.from(message, 'base64url');
  let h = Buffer.alloc(64);
  h.write(`Noise_${pattern}_25519_ChaChaPoly_BLAKE2b`);
  let chain = h;
  let key;
  const derive = (secret) => {
    const temporary = hmac(chain, secret);
    const first = hmac(temporary, Buffer.of(1));
    return [first, hmac(temporary, first, Buffer.of(2))];
  };
  const mix = (privateKey, other) => {
    const [next, second] = derive(diffieHellman({ privateKey, publicKey: publicKey(other) }));
    chain = next;
    key = second.subarray(0, 32);
  };
  const decrypt = (sealed) => {
    const text = open(key, 0, h, sealed);
    h = hash(h, sealed);
    return text;
  };
  h = hash(h);
  if (pattern === 'KK') h = hash(h, clientKey);
  h = hash(h, rawKey(own.publicKey));
  const clientEphemeral = bytes.subarray(0, 32);
  h = hash(h, clientEphemeral);
  mix(own.privateKey, clientEphemeral);
  const client = pattern === 'IK' ? decrypt(bytes.subarray(32, 80)) : clientKey;
  mix(own.privateKey, client);
  const payload = decrypt(bytes.subarray(pattern === 'IK' ? 80 : 32));
  const ephemeral = generateKeyPairSync('x25519');
  h = hash(h, rawKey(ephemeral.publicKey));
  mix(ephemeral.privateKey, clientEphemeral);
  mix(ephemeral.privateKey, client);
  const cipher = createCipheriv('chacha20-poly1305', key, nonce(0), { authTagLength: 16 });
  cipher.setAAD(h, { plaintextLength: 0 });
  const sealed = Buffer.concat([cipher.final(), cipher.getAuthTag()]);
  h = hash(h, sealed);
  const sent = Buffer.concat([rawKey(ephemeral.publicKey), sealed]).toString('base64url');
  return { message: sent, payload, client, hash: h, key: derive(Buffer.alloc(0))[0].subarray(0, 32) };
}

export class WebDevice {
  /** Every key, message, hash, ID, and cipher text that was sent, for the search for leaks. */
  secrets = new Set();
  #sessions = new Map();
  #own = generateKeyPairSync('x25519');
  #rsa = generateKeyPairSync('rsa', { modulusLength: 4096 });

  constructor(account, password) {
    Object.assign(this, { account, password });
  }

  async start() {
    this.server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const query = request.url.split('?')[1] ?? '';
      const form = new URLSearchParams(`${query}&${body}`);
      const cookies = Object.fromEntries((request.headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s)));
      const answer = this.#answer(form, request.headers, cookies, response);
      response.setHeader('Content-Type', 'application/json; charset="UTF-8"');
      response.end(JSON.stringify(answer));
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  stop() {
    this.server.closeAllConnections?.();
    this.server.close();
  }

  #secret(value) {
    this.secrets.add(value);
    return value;
  }

  #answer(form, headers, cookies, response) {
    const name = `${form.get('api')} ${form.get('method')}`;
    switch (name) {
      case 'SYNO.API.Auth.UIConfig get':
        response.setHeader('Set-Cookie', `_SSID=${this.#secret(rawKey(this.#own.publicKey).toString('base64url'))}; path=/`);
        return { data: [], success: true };
      case 'SYNO.API.Encryption getinfo': {
        const modulus = Buffer.from(this.#rsa.publicKey.export({ format: 'jwk' }).n, 'base64url').toString('hex');
        const data = { cipherkey: '__cIpHeRtExT', ciphertoken: '__cIpHeRtOkEn', public_key: modulus, server_time: 1700000000 };
        return { data, success: true };
      }
      case 'SYNO.API.Auth login':
        return this.#login(form, response);
    }
    const session = this.#sessions.get(form.get('_sid') ?? cookies.id);
    if (session === undefined) return { error: { code: 119 }, success: false };
    if (name === 'SYNO.API.Auth resume') return this.#resume(session, form);
    if (headers['x-syno-hash'] !== undefined) this.#secret(headers['x-syno-hash']);
    const isFull = session.handshake !== undefined && this.#isFresh(session, headers['x-syno-hash'] ?? '');
    switch (name) {
      case 'SYNO.API.Auth logout':
        this.#sessions.delete(session.sid);
        return { success: true };
      case 'SYNO.FileStation.Info get':
        return { data: { hostname: 'fixture-nas' }, success: true };
      case 'SYNO.Core.System info':
        return isFull ? { data: { model: 'FIXTURE-4' }, success: true } : { error: { code: 105 }, success: false };
      case 'SYNO.Core.Share list':
        return isFull ? { data: { shares: ['video'] }, success: true } : { error: { code: 105 }, success: false };
      default:
        return { error: { code: 102 }, success: false };
    }
  }

  /** Decrypts the form of an encrypted login. */
  #decrypted(value) {
    this.#secret(value);
    const { rsa, aes } = JSON.parse(value);
    // Node no longer removes the padding of PKCS #1 v1.5: 0, 2, other bytes, 0.
    const key = { key: this.#rsa.privateKey, padding: constants.RSA_NO_PADDING };
    const padded = privateDecrypt(key, Buffer.from(rsa, 'base64'));
    const passphrase = padded.subarray(padded.indexOf(0, 2) + 1);
    const bytes = Buffer.from(aes, 'base64');
    let derived = Buffer.alloc(0);
    for (let last = Buffer.alloc(0); derived.length < 48; derived = Buffer.concat([derived, last])) {
      last = createHash('md5').update(Buffer.concat([last, passphrase, bytes.subarray(8, 16)])).digest();
    }
    const cipher = createDecipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32, 48));
    return new URLSearchParams(Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]).toString());
  }

  #login(form, response) {
    if (form.has('__cIpHeRtExT')) {
      for (const [name, value] of this.#decrypted(form.get('__cIpHeRtExT'))) form.set(name, value);
    }
    if (form.get('account') !== this.account || form.get('passwd') !== this.password) {
      return { error: { code: 400 }, success: false };
    }
    const session = { sid: this.#secret(randomBytes(40).toString('base64url')), used: new Set() };
    const token = this.#secret(randomBytes(10).toString('base64url'));
    let message = '';
    if (form.has('ik_message')) {
      this.#secret(form.get('ik_message'));
      session.handshake = respond('IK', this.#own, undefined, form.get('ik_message'));
      if (!(JSON.parse(session.handshake.payload).time > 0)) return { error: { code: 400 }, success: false };
      message = this.#secret(session.handshake.message);
    }
    this.#sessions.set(session.sid, session);
    response.setHeader('Set-Cookie', `id=${session.sid};path=/;HttpOnly`);
    const data = { account: this.account, ik_message: message, is_portal_port: false, sid: session.sid, synotoken: token };
    return { data, success: true };
  }

  #resume(session, form) {
    if (session.handshake === undefined) return { error: { code: 400 }, success: false };
    this.#secret(form.get('kk_message'));
    session.handshake = respond('KK', this.#own, session.handshake.client, form.get('kk_message'));
    session.used.clear();
    const token = this.#secret(randomBytes(10).toString('base64url'));
    return { data: { kk_message: this.#secret(session.handshake.message), synotoken: token }, success: true };
  }

  /** Returns true for a valid hash that was not used before. */
  #isFresh({ handshake, used }, value) {
    const [tag, counter] = value.slice(8).split('.');
    const number = Buffer.from(counter ?? '', 'base64url').toString();
    if (!value.startsWith(handshake.hash.toString('base64url').slice(0, 8)) || !/^\d+$/.test(number)) return false;
    try {
      open(handshake.key, number, Buffer.alloc(0), Buffer.from(tag, 'base64url'));
    } catch {
      return false;
    }
    if (used.has(number)) return false;
    used.add(number);
    return true;
  }
}
