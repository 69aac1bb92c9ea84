// IP addresses: which texts are some, lists of those that are blocked, and addresses of sockets as objects.

const { check, coded, invalidArgValue, received } = require('internal/errors');
const { custom, inspect } = require('internal/inspect');

const ZONE = /%[0-9a-zA-Z\-.:]+$/;

/// The bytes of an address, or undefined.
function bytesOf(text) {
  if (typeof text !== 'string') text = `${text}`;
  if (text.length > 80 || text.includes('\0')) return undefined;
  return native.addressBytes(text.includes(':') ? text.replace(ZONE, '') : text);
}

/// 4 or 6, or 0 for what is no address.
function isIP(text) {
  const bytes = bytesOf(text);
  return !bytes ? 0 : bytes.length === 4 ? 4 : 6;
}

/// The number of a port that was given as a number or a text.
function portOf(value, name = 'Port', zero = true) {
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = typeof value === 'number' || isText ? Number(value) : NaN;
  const isPort = Number.isInteger(number) && number >= (zero ? 0 : 1) && number <= 65535;
  if (isPort) return number;
  const least = zero ? '>=' : '>';
  throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be ${least} 0 and < 65536.${received(value)}.`);
}

const familyOf = (family) => {
  const word = `${family}`.toLowerCase();
  if (word !== 'ipv4' && word !== 'ipv6') throw invalidArgValue('options.family', family);
  return word;
};

const invalidAddress = () => coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');

class SocketAddress {
  #facts;
  static isSocketAddress(value) { return value !== null && typeof value === 'object' && #facts in value; }
  constructor(options = {}) {
    check.object(options, 'options');
    const family = familyOf(options.family ?? 'ipv4');
    const { address = family === 'ipv4' ? '127.0.0.1' : '::', port = 0, flowlabel = 0 } = options;
    check.string(address, 'options.address');
    if (isIP(address) !== (family === 'ipv4' ? 4 : 6)) throw invalidAddress();
    this.#facts = { address, port: portOf(port, 'options.port'), family, flowlabel };
  }
  get address() { return this.#facts.address; }
  get port() { return this.#facts.port; }
  get family() { return this.#facts.family; }
  get flowlabel() { return this.#facts.family === 'ipv6' ? this.#facts.flowlabel : 0; }
  toJSON() {
    const { address, port, family, flowlabel } = this;
    return { address, port, family, flowlabel };
  }
  [custom](depth, options) {
    return depth < 0 ? this : `SocketAddress ${inspect(this.toJSON(), options)}`;
  }
}

/// Bytes as one number, and how many bits it has. An IPv4 address within IPv6 is the former.
function numberOf(bytes) {
  const isMapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
  const own = isMapped ? bytes.slice(12) : bytes;
  return [own.reduce((all, byte) => all * 256n + BigInt(byte), 0n), own.length * 8];
}

function parsed(address, family) {
  if (SocketAddress.isSocketAddress(address)) [address, family] = [address.address, address.family];
  check.string(address, 'address');
  const bytes = bytesOf(address);
  if (!bytes || bytes.length !== (familyOf(family) === 'ipv4' ? 4 : 16)) throw invalidAddress();
  return numberOf(bytes);
}

const asObject = (address, family) => (SocketAddress.isSocketAddress(address) ? address : new SocketAddress({ address,
  family }));

const title = (address, family) => {
  const kind = SocketAddress.isSocketAddress(address) ? address.family : family.toLowerCase();
  return [kind === 'ipv4' ? 'IPv4' : 'IPv6', SocketAddress.isSocketAddress(address) ? address.address : address];
};

class BlockList {
  #rules = [];
  static isBlockList(value) { return value !== null && typeof value === 'object' && #rules in value; }
  addAddress(address, family = 'ipv4') {
    const [number, bits] = parsed(address, family);
    const [kind, text] = title(address, family);
    this.#rules.unshift({ bits, first: number, last: number, text: `Address: ${kind} ${text}` });
  }
  addRange(start, end, family = 'ipv4') {
    const [first, bits] = parsed(start, family);
    const [last] = parsed(end, family);
    if (first > last) throw invalidArgValue('start', asObject(start, family), 'must come before end');
    const [kind, text] = title(start, family);
    this.#rules.unshift({ bits, first, last, text: `Range: ${kind} ${text}-${title(end, family)[1]}` });
  }
  addSubnet(net, prefix, family = 'ipv4') {
    const [number, bits] = parsed(net, family);
    const [kind, text] = title(net, family);
    check.integer(prefix, 'prefix', 0, kind === 'IPv4' ? 32 : 128);
    const rest = (1n << BigInt(Math.max(0, bits - prefix))) - 1n;
    this.#rules.unshift({ bits, first: number & ~rest, last: number | rest,
      text: `Subnet: ${kind} ${text}/${prefix}` });
  }
  check(address, family = 'ipv4') {
    let wanted;
    try {
      wanted = parsed(address, family);
    } catch (error) {
      if (error.code === 'ERR_INVALID_ADDRESS') return false;
      throw error;
    }
    const [number, bits] = wanted;
    return this.#rules.some((rule) => rule.bits === bits && rule.first <= number && number <= rule.last);
  }
  get rules() { return this.#rules.map((rule) => rule.text); }
  [custom](depth, options) {
    return depth < 0 ? this : `BlockList ${inspect({ rules: this.rules }, options)}`;
  }
}

module.exports = {
  isIP,
  isIPv4: (text) => isIP(text) === 4,
  isIPv6: (text) => isIP(text) === 6,
  portOf,
  BlockList,
  SocketAddress,
};
