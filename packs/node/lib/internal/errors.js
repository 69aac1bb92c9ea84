// Exceptions with codes, in Node's words.

const { inspect } = require('internal/inspect');

/// Linux's numbers of errors: name, and what libuv says of it.
const SYSTEM = {
  1: ['EPERM', 'operation not permitted'],
  2: ['ENOENT', 'no such file or directory'],
  3: ['ESRCH', 'no such process'],
  4: ['EINTR', 'interrupted system call'],
  5: ['EIO', 'i/o error'],
  6: ['ENXIO', 'no such device or address'],
  7: ['E2BIG', 'argument list too long'],
  8: ['ENOEXEC', 'exec format error'],
  9: ['EBADF', 'bad file descriptor'],
  10: ['ECHILD', 'no child processes'],
  11: ['EAGAIN', 'resource temporarily unavailable'],
  12: ['ENOMEM', 'not enough memory'],
  13: ['EACCES', 'permission denied'],
  14: ['EFAULT', 'bad address in system call argument'],
  16: ['EBUSY', 'resource busy or locked'],
  17: ['EEXIST', 'file already exists'],
  18: ['EXDEV', 'cross-device link not permitted'],
  19: ['ENODEV', 'no such device'],
  20: ['ENOTDIR', 'not a directory'],
  21: ['EISDIR', 'illegal operation on a directory'],
  22: ['EINVAL', 'invalid argument'],
  23: ['ENFILE', 'file table overflow'],
  24: ['EMFILE', 'too many open files'],
  25: ['ENOTTY', 'inappropriate ioctl for device'],
  26: ['ETXTBSY', 'text file is busy'],
  27: ['EFBIG', 'file too large'],
  28: ['ENOSPC', 'no space left on device'],
  29: ['ESPIPE', 'invalid seek'],
  30: ['EROFS', 'read-only file system'],
  31: ['EMLINK', 'too many links'],
  32: ['EPIPE', 'broken pipe'],
  34: ['ERANGE', 'result too large'],
  36: ['ENAMETOOLONG', 'name too long'],
  38: ['ENOSYS', 'function not implemented'],
  39: ['ENOTEMPTY', 'directory not empty'],
  40: ['ELOOP', 'too many symbolic links encountered'],
  71: ['EPROTO', 'protocol error'],
  75: ['EOVERFLOW', 'value too large for defined data type'],
  84: ['EILSEQ', 'illegal byte sequence'],
  88: ['ENOTSOCK', 'socket operation on non-socket'],
  89: ['EDESTADDRREQ', 'destination address required'],
  90: ['EMSGSIZE', 'message too long'],
  91: ['EPROTOTYPE', 'protocol wrong type for socket'],
  92: ['ENOPROTOOPT', 'protocol not available'],
  93: ['EPROTONOSUPPORT', 'protocol not supported'],
  95: ['ENOTSUP', 'operation not supported on socket'],
  97: ['EAFNOSUPPORT', 'address family not supported'],
  98: ['EADDRINUSE', 'address already in use'],
  99: ['EADDRNOTAVAIL', 'address not available'],
  101: ['ENETUNREACH', 'network is unreachable'],
  103: ['ECONNABORTED', 'software caused connection abort'],
  104: ['ECONNRESET', 'connection reset by peer'],
  105: ['ENOBUFS', 'no buffer space available'],
  106: ['EISCONN', 'socket is already connected'],
  107: ['ENOTCONN', 'socket is not connected'],
  110: ['ETIMEDOUT', 'connection timed out'],
  111: ['ECONNREFUSED', 'connection refused'],
  113: ['EHOSTUNREACH', 'host is unreachable'],
  114: ['EALREADY', 'connection already in progress'],
  125: ['ECANCELED', 'operation canceled'],
};

/// The exception of a failed call: `number` is negative.
function systemError(number, syscall, path, dest) {
  const [code, words] = SYSTEM[-number] ?? [`Unknown system error ${number}`, ''];
  let message = `${code}: ${words}, ${syscall}`;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const error = new Error(message);
  error.errno = number;
  error.code = code;
  error.syscall = syscall;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

/// That of a stream of bytes: it names what was done, and nobody's code runs when it is known.
function streamError(number, syscall) {
  const error = systemError(number, syscall);
  error.message = `${syscall} ${error.code}`;
  return lineless(error);
}

function hide(object, key, value) {
  return Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });
}

/// What the system refuses later has no lines: nobody's code runs then.
function lineless(error) {
  return typeof error?.errno === 'number' ? hide(error, 'stack', `${error}`) : error;
}

/// Puts a code after the name that the stack of an exception begins with.
function withCode(error, code) {
  const { name, stack } = error;
  return typeof stack === 'string' ? hide(error, 'stack', stack.replace(name, `${name} [${code}]`)) : error;
}

/// An exception of a kind with a code; its stack begins with both.
function coded(Kind, code, message, properties) {
  const error = withCode(new Kind(message), code);
  hide(error, 'toString', function toString() { return `${this.name} [${code}]: ${this.message}`; });
  return Object.assign(error, { code, ...properties });
}

/// "a, b, or c"
function listed(words, last) {
  if (words.length < 3) return words.join(` ${last} `);
  return `${words.slice(0, -1).join(', ')}, ${last} ${words.at(-1)}`;
}

/// Where text begins, in quotes.
function begin(text) {
  const part = text.length > 28 ? `${text.slice(0, 25)}...` : text;
  return part.includes("'") ? JSON.stringify(part) : `'${part}'`;
}

/// What a value is, as messages say it.
function received(value) {
  if (value == null) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    const maker = value.constructor?.name;
    return maker ? ` Received an instance of ${maker}` : ` Received ${inspect(value, { depth: -1 })}`;
  }
  return ` Received type ${typeof value} (${typeof value === 'string' ? begin(value) : inspect(value)})`;
}

const TYPES = new Set(['string', 'function', 'number', 'object', 'boolean', 'bigint', 'symbol']);

/// "of type string or an instance of Buffer": types, then classes, then other words.
function wanted(words) {
  const isClass = (word) => /^[A-Z]/.test(word) && !['Function', 'Object'].includes(word);
  const isType = (word) => !isClass(word) && TYPES.has(word.toLowerCase());
  let types = words.filter(isType).map((word) => word.toLowerCase());
  const classes = words.filter(isClass);
  const others = words.filter((word) => !isType(word) && !isClass(word));
  if (classes.length > 0 && types.includes('object')) {
    types = types.filter((type) => type !== 'object');
    classes.push('Object');
  }
  const parts = [];
  if (types.length) parts.push(`${types.length > 1 ? 'one of' : 'of'} type ${listed(types, 'or')}`);
  if (classes.length) parts.push(`an instance of ${listed(classes, 'or')}`);
  if (others.length > 1) parts.push(`one of ${listed(others, 'or')}`);
  else if (others.length) parts.push(/[A-Z]/.test(others[0]) ? `an ${others[0]}` : others[0]);
  return parts.join(' or ');
}

function invalidArgType(name, expected, actual) {
  const kind = name.includes('.') ? 'property' : 'argument';
  const subject = name.endsWith(' argument') ? `The ${name}` : `The "${name}" ${kind}`;
  const message = `${subject} must be ${wanted([expected].flat())}.${received(actual)}`;
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', message);
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let text = inspect(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const what = name.includes('.') ? 'property' : 'argument';
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} '${name}' ${reason}. Received ${text}`);
}

function outOfRange(name, range, value) {
  const isBig = typeof value === 'bigint';
  const most = isBig ? 2n ** 32n : 2 ** 32;
  const numericSeparator = (isBig || Number.isInteger(value)) && (value > most || value < -most);
  const text = `It must be ${range}. Received ${inspect(value, { numericSeparator })}`;
  return coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. ${text}`);
}

/// What the sandbox does not have.
function unsupported(what) {
  return coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `${what} is not available in this sandbox`);
}

class SystemError extends Error {}
hide(SystemError.prototype, 'name', 'SystemError');

class AbortError extends Error {
  constructor(message, options) {
    super(message ?? 'The operation was aborted', options);
    Object.assign(this, { code: 'ABORT_ERR', name: 'AbortError' });
  }
}

const typeCheck = (type) => (value, name) => {
  if (typeof value !== type) throw invalidArgType(name, type, value);
};

/// ">= 1 && <= 5", or as much of it as there is.
function rangeText(least, most) {
  const parts = [];
  if (least != null) parts.push(`>= ${least}`);
  if (most != null) parts.push(`<= ${most}`);
  return parts.join(' && ');
}

const check = {
  string: typeCheck('string'),
  function: typeCheck('function'),
  boolean: typeCheck('boolean'),
  object(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw invalidArgType(name, 'Object', value);
  },
  array(value, name) {
    if (!Array.isArray(value)) throw invalidArgType(name, 'Array', value);
  },
  number(value, name, least, most) {
    if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
    const isInside = (least == null || value >= least) && (most == null || value <= most);
    if (!isInside) throw outOfRange(name, rangeText(least, most), value);
  },
  integer(value, name, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
    if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < least || value > most) throw outOfRange(name, rangeText(least, most), value);
  },
  signal(value, name) {
    const isSignal = value !== null && typeof value === 'object' && 'aborted' in value;
    if (value !== undefined && !isSignal) throw invalidArgType(name, 'AbortSignal', value);
  },
};

module.exports = {
  SYSTEM,
  systemError,
  streamError,
  lineless,
  coded,
  withCode,
  listed,
  received,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  unsupported,
  AbortError,
  SystemError,
  check,
};
