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
  95: ['ENOTSUP', 'operation not supported on socket'],
  97: ['EAFNOSUPPORT', 'address family not supported'],
  98: ['EADDRINUSE', 'address already in use'],
  101: ['ENETUNREACH', 'network is unreachable'],
  104: ['ECONNRESET', 'connection reset by peer'],
  110: ['ETIMEDOUT', 'connection timed out'],
  111: ['ECONNREFUSED', 'connection refused'],
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

/// An exception of a kind with a code; its stack begins with both.
function coded(Kind, code, message, properties) {
  const limit = Error.stackTraceLimit;
  const error = new Kind(message);
  const name = error.name;
  const stack = error.stack;
  if (typeof stack === 'string') {
    Object.defineProperty(error, 'stack', {
      value: stack.replace(name, `${name} [${code}]`), writable: true, configurable: true, enumerable: false,
    });
  }
  Error.stackTraceLimit = limit;
  Object.defineProperty(error, 'toString', {
    value() {
      return `${this.name} [${code}]: ${this.message}`;
    },
    writable: true,
    configurable: true,
    enumerable: false,
  });
  error.code = code;
  return properties ? Object.assign(error, properties) : error;
}

/// "a, b or c"
function listed(words, last) {
  if (words.length < 3) return words.join(` ${last} `);
  return `${words.slice(0, -1).join(', ')}, ${last} ${words.at(-1)}`;
}

/// What a value is, as messages say it.
function received(value) {
  if (value == null) return ` Received ${value}`;
  if (typeof value === 'function')
    return ` Received function ${value.name}`.trimEnd() === ' Received function'
      ? ' Received function '
      : ` Received function ${value.name}`;
  if (typeof value === 'object') {
    if (value.constructor?.name) return ` Received an instance of ${value.constructor.name}`;
    return ` Received ${inspect(value, { depth: -1 })}`;
  }
  let text = inspect(value, { colors: false });
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${text})`;
}

const PRIMITIVES = ['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol'];

function invalidArgType(name, expected, actual) {
  expected = Array.isArray(expected) ? expected : [expected];
  const subject = name.endsWith(' argument')
    ? `The ${name}`
    : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  const types = expected.filter((word) => PRIMITIVES.includes(word)).map((word) => word.toLowerCase());
  const classes = expected.filter((word) => !PRIMITIVES.includes(word) && /^[A-Z]/.test(word));
  const others = expected.filter((word) => !PRIMITIVES.includes(word) && !/^[A-Z]/.test(word));
  const isObject = types.indexOf('object');
  if (isObject >= 0 && classes.length) {
    types.splice(isObject, 1);
    classes.push('Object');
  }
  const parts = [];
  if (types.length) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${listed(types, 'or')}`);
  if (classes.length) parts.push(`an instance of ${listed(classes, 'or')}`);
  if (others.length)
    parts.push(
      others.length > 1
        ? `one of ${listed(others, 'or')}`
        : others[0].toLowerCase() !== others[0]
          ? `an ${others[0]}`
          : others[0],
    );
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${subject} must be ${parts.join(' or ')}.${received(actual)}`);
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let text = inspect(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const what = name.includes('.') ? 'property' : 'argument';
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} '${name}' ${reason}. Received ${text}`);
}

/// 1234567 as 1_234_567.
function separated(value) {
  const text = String(value);
  const digits = text.replace(/n$/, '');
  return digits.replace(/\B(?=(\d{3})+$)/g, '_') + (text.endsWith('n') ? 'n' : '');
}

function outOfRange(name, range, value) {
  let text;
  if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) text = separated(value);
  else if (typeof value === 'bigint')
    text = (value > 2n ** 32n || value < -(2n ** 32n) ? separated(value) : String(value)) + 'n';
  else text = inspect(value);
  return coded(
    RangeError,
    'ERR_OUT_OF_RANGE',
    `The value of "${name}" is out of range. It must be ${range}. Received ${text}`,
  );
}

/// What the sandbox does not have.
function unsupported(what) {
  return coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `${what} is not available in this sandbox`);
}

class SystemError extends Error {}
Object.defineProperty(SystemError.prototype, 'name', { value: 'SystemError', writable: true, configurable: true });

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options) {
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
  }
}

const check = {
  string(value, name) {
    if (typeof value !== 'string') throw invalidArgType(name, 'string', value);
  },
  function(value, name) {
    if (typeof value !== 'function') throw invalidArgType(name, 'function', value);
  },
  boolean(value, name) {
    if (typeof value !== 'boolean') throw invalidArgType(name, 'boolean', value);
  },
  object(value, name) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw invalidArgType(name, 'Object', value);
  },
  array(value, name) {
    if (!Array.isArray(value)) throw invalidArgType(name, 'Array', value);
  },
  number(value, name, least, most) {
    if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
    if (
      (least != null && value < least) ||
      (most != null && value > most) ||
      ((least != null || most != null) && Number.isNaN(value))
    ) {
      const range = [least != null ? `>= ${least}` : '', most != null ? `<= ${most}` : ''].filter(Boolean).join(' && ');
      throw outOfRange(name, range, value);
    }
  },
  integer(value, name, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
    if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < least || value > most) throw outOfRange(name, `>= ${least} && <= ${most}`, value);
  },
  signal(value, name) {
    if (value !== undefined && (value === null || typeof value !== 'object' || !('aborted' in value))) {
      throw invalidArgType(name, 'AbortSignal', value);
    }
  },
};

module.exports = {
  SYSTEM,
  systemError,
  coded,
  listed,
  received,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  unsupported,
  AbortError,
  SystemError,
  check,
  separated,
};
