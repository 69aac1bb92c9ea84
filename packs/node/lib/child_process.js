// Other programs.

const EventEmitter = require('events');
const { Readable } = require('stream');
const { Writable } = require('stream');
const {
  systemError,
  streamError,
  coded,
  invalidArgType,
  invalidArgValue,
  check,
  AbortError,
  SYSTEM,
  outOfRange,
  received,
} = require('internal/errors');
const { signals, signalName } = require('internal/constants');
const ipc = require('internal/ipc');
const loop = require('internal/loop');
const { toPath } = require('internal/paths');

/// The reading end of a pipe from a child.
class PipeReader extends Readable {
  constructor(fd) {
    super({ highWaterMark: 65536 });
    Object.defineProperty(this, 'fd', { value: fd, writable: true, enumerable: false });
    Object.defineProperty(this, 'watcher', { value: undefined, writable: true, enumerable: false });
  }
  _read() {
    this.watcher ??= loop.watch(this.fd, 1, () => {
      const chunk = Buffer.allocUnsafe(65536);
      const got = native.read(this.fd, chunk, 0, chunk.length, -1);
      if (got === -11 || got === -4) return;
      if (got <= 0) {
        this.stop();
        this.push(null);
      } else if (!this.push(chunk.subarray(0, got))) this.rest();
    });
  }
  rest() {
    if (this.watcher) loop.unwatch(this.watcher);
    this.watcher = undefined;
  }
  stop() {
    this.rest();
    if (this.fd >= 0) native.close(this.fd);
    this.fd = -1;
  }
  _destroy(error, callback) {
    this.stop();
    callback(error);
  }
  ref() { return this; }
  unref() { return this; }
}

/// The writing end of a pipe to a child.
class PipeWriter extends Writable {
  constructor(fd) {
    super({ decodeStrings: true });
    Object.defineProperty(this, 'fd', { value: fd, writable: true, enumerable: false });
    Object.defineProperty(this, 'watcher', { value: undefined, writable: true, enumerable: false });
    native.nonblocking(fd, true);
  }
  _write(chunk, encoding, callback) {
    let at = 0;
    const attempt = () => {
      while (at < chunk.length) {
        const wrote = native.write(this.fd, chunk, at, chunk.length - at, -1);
        if (wrote === -4) continue;
        if (wrote === -11) {
          this.watcher ??= loop.watch(this.fd, 2, attempt);
          return;
        }
        if (wrote < 0) return end(streamError(wrote, 'write'));
        at += wrote;
      }
      end(null);
    };
    const end = (error) => {
      if (this.watcher) loop.unwatch(this.watcher);
      this.watcher = undefined;
      callback(error);
    };
    attempt();
  }
  _final(callback) {
    this.shut();
    callback();
  }
  shut() {
    if (this.watcher) loop.unwatch(this.watcher);
    this.watcher = undefined;
    if (this.fd >= 0) native.close(this.fd);
    this.fd = -1;
  }
  _destroy(error, callback) {
    this.shut();
    callback(error);
  }
  ref() { return this; }
  unref() { return this; }
}
for (const Kind of [PipeReader, PipeWriter]) Object.defineProperty(Kind, 'name', { value: 'Socket' });

function int32(value, name) {
  if (value === (value | 0)) return;
  throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" property must be int32.${received(value)}`);
}

/// What options have to be, if they are given.
const CHECKS = Object.entries({
  shell(value, name) {
    if (!['boolean', 'string'].includes(typeof value)) throw invalidArgType(name, ['boolean', 'string'], value);
  },
  uid: int32,
  gid: int32,
  argv0: check.string,
  detached: check.boolean,
  windowsHide: check.boolean,
  windowsVerbatimArguments: check.boolean,
});

const isAmount = (value) => value == null || (typeof value === 'number' && value >= 0);

function checkLimits({ timeout, maxBuffer }) {
  if (!isAmount(maxBuffer)) throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
  const isWhole = isAmount(timeout) && Number.isInteger(timeout ?? 0);
  if (!isWhole) throw outOfRange('timeout', 'an unsigned integer', timeout);
}

function withoutNull(text, name) {
  if (text.includes('\0')) throw invalidArgValue(name, text, 'must be a string without null bytes');
}

/// An environment as the system takes it.
function pairsOf(env) {
  const pairs = [];
  for (const key in env) {
    const value = env[key];
    if (value === undefined) continue;
    for (const part of [key, `${value}`]) withoutNull(part, `options.env['${key}']`);
    pairs.push(`${key}=${value}`);
  }
  return pairs;
}

/// What is to be started, by the arguments of a call: (file, [args], [options]).
function planOf(file, args, options = {}) {
  check.string(file, 'file');
  if (file === '') throw invalidArgValue('file', file, 'cannot be empty');
  withoutNull(file, 'file');
  if (args != null && typeof args !== 'object') throw invalidArgType('args', 'object', args);
  if (args && !Array.isArray(args)) [options, args] = [args, []];
  if (options === null || typeof options !== 'object') throw invalidArgType('options', 'object', options);
  const words = [...args ?? []];
  words.forEach((word, i) => withoutNull(`${word}`, `args[${i}]`));
  for (const [name, verify] of CHECKS) if (options[name] != null) verify(options[name], `options.${name}`);
  checkLimits({ timeout: options.timeout });
  const env = options.env ?? process.env;
  const shell = options.shell === true ? '/bin/sh' : options.shell;
  const command = shell
    ? { file: shell, args: [options.argv0 ?? shell, '-c', [file, ...words].join(' ')] }
    : { file, args: [options.argv0 ?? file, ...words] };
  const cwd = options.cwd == null ? undefined : toPath(options.cwd, 'options.cwd');
  return { ...options, ...command, cwd, env, envPairs: pairsOf(env) };
}

/// Where a command is, by the PATH of its environment.
function locate(file, env, cwd) {
  if (file.includes('/')) return file;
  const all = env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
  let denied = false;
  for (const folder of all.split(':')) {
    const path = `${folder || '.'}/${file}`;
    const full = path.startsWith('/') || !cwd ? path : `${cwd}/${path}`;
    if (native.kind(full) === 0) {
      if (native.access(full, 1) === 0) return path;
      denied = true;
    }
  }
  return denied ? -13 : undefined;
}

/// Starts a program; a negative number if it cannot be. `files` are its descriptors.
function start(options, files) {
  const path = locate(options.file, options.env, options.cwd);
  if (path === undefined) return -2;
  if (typeof path === 'number') return path;
  if (options.cwd !== undefined && native.kind(options.cwd) !== 1) return native.kind(options.cwd) === 0 ? -20 : -2;
  const spawned = (program, args) => native.spawn(program, args, options.envPairs, options.cwd ?? null, files);
  const args = options.args.map((arg) => `${arg}`);
  const pid = spawned(path, args);
  // A text without a first line that names its interpreter is a script of the shell's.
  return pid === -8 ? spawned('/bin/sh', ['/bin/sh', path, ...args.slice(1)]) : pid;
}

function stdioOf(stdio, isSync) {
  if (stdio === undefined || stdio === null) stdio = 'pipe';
  if (typeof stdio === 'string') {
    if (stdio === 'inherit') return [0, 1, 2];
    if (!['pipe', 'ignore', 'overlapped'].includes(stdio)) throw invalidArgValue('stdio', stdio);
    return [stdio, stdio, stdio];
  }
  if (!Array.isArray(stdio)) throw invalidArgValue('stdio', stdio);
  const out = [...stdio];
  while (out.length < 3) out.push('pipe');
  return out.map((item, i) => {
    if (item === null || item === undefined) return i < 3 ? 'pipe' : 'ignore';
    if (item === 'inherit') return i;
    if (item === 'ipc') {
      if (isSync) throw coded(Error, 'ERR_IPC_SYNC_FORK', 'IPC cannot be used with synchronous forks');
      if (stdio.indexOf('ipc') !== i) throw coded(Error, 'ERR_IPC_ONE_PIPE', 'Child process can have only one IPC pipe');
      return item;
    }
    if (typeof item === 'object' && typeof item.fd === 'number') return item.fd;
    if (typeof item === 'number' || item === 'pipe' || item === 'ignore' || item === 'overlapped') return item;
    if (typeof item === 'object' && (item === process.stdin || item === process.stdout || item === process.stderr))
      return item.fd;
    if (typeof item === 'string' && !isSync) {
      throw coded(
        TypeError,
        'ERR_INVALID_SYNC_FORK_INPUT',
        `Asynchronous forks do not support Buffer, TypedArray, DataView or string input: '${item}'`,
      );
    }
    throw invalidArgValue('stdio', item);
  });
}

/// Opens what the child's descriptors are. Our ends of pipes, the child's descriptors, and which of them to close
/// afterwards.
function openStdio(stdio) {
  const ends = [];
  const files = [];
  const close = [];
  stdio.forEach((item, i) => {
    if (item === 'pipe' || item === 'overlapped') {
      const [read, write] = done(native.pipe(), 'pipe');
      const [theirs, ours] = i === 0 ? [read, write] : [write, read];
      files[i] = theirs;
      ends[i] = ours;
      close.push(theirs);
    } else if (item === 'ignore') {
      files[i] = done(native.open('/dev/null', 2, 0), 'open');
      close.push(files[i]);
    } else if (item === 'ipc') {
      const [ours, theirs] = done(native.channel(), 'socketpair');
      files[i] = theirs;
      ends[i] = ours;
      close.push(theirs);
    } else files[i] = item;
  });
  return { ends, files, close };
}

function done(result, syscall) {
  if (typeof result === 'number' && result < 0) throw systemError(result, syscall);
  return result;
}

function numberOf(signal) {
  if (signal === undefined || signal === null) return 15;
  const number = typeof signal === 'number' ? signal : signals[`${signal}`.toUpperCase()];
  if (number === undefined || (typeof signal === 'number' && signal !== 0 && signalName(signal) === null))
    throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
  return number;
}

function spawnError(number, options) {
  const [code] = SYSTEM[-number] ?? ['UNKNOWN'];
  const error = new Error(`spawn ${options.file} ${code}`);
  return Object.assign(error, {
    errno: number,
    code,
    syscall: `spawn ${options.file}`,
    path: options.file,
    spawnargs: options.args.slice(1),
  });
}

class ChildProcess extends EventEmitter {
  constructor() {
    super();
    Object.assign(this, {
      _closesNeeded: 1,
      _closesGot: 0,
      connected: false,
      signalCode: null,
      exitCode: null,
      killed: false,
      spawnfile: null,
      _handle: null,
    });
  }

  spawn(options) {
    const { serialization } = options;
    if (serialization !== undefined && serialization !== 'json' && serialization !== 'advanced') {
      throw invalidArgValue(
        'options.serialization',
        serialization,
        "must be one of: undefined, 'json', 'advanced'",
      );
    }
    const stdio = stdioOf(options.stdio, false);
    const { ends, files, close } = openStdio(stdio);
    const channel = stdio.indexOf('ipc');
    if (channel >= 0) {
      options.envPairs.push(
        `NODE_CHANNEL_FD=${channel}`,
        `NODE_CHANNEL_SERIALIZATION_MODE=${serialization ?? 'json'}`,
      );
    }
    this.spawnfile = options.file;
    this.spawnargs = options.args;
    loop.expectChild();
    const pid = start(options, files);
    for (const fd of close) native.close(fd);
    this.stdio = stdio.map((item, i) => {
      if (ends[i] === undefined || item === 'ipc') return null;
      if (pid < 0) {
        native.close(ends[i]);
        return i === 0
          ? new Writable({
              write(chunk, encoding, callback) {
                callback();
              },
            })
          : Readable.from([], { objectMode: false });
      }
      return i === 0 ? new PipeWriter(ends[i]) : new PipeReader(ends[i]);
    });
    [this.stdin, this.stdout, this.stderr] = this.stdio;
    let left = channel >= 0 ? 2 : 1;
    const closed = () => { if (--left === 0) this.emit('close', this.exitCode, this.signalCode); };
    if (channel >= 0) ipc.join(this, ends[channel], serialization ?? 'json', closed);
    if (pid < 0) {
      this.pid = undefined;
      process.nextTick(() => {
        this.exitCode = pid;
        this.emit('error', spawnError(pid, options));
        if (channel < 0) closed();
        else process.nextTick(closed);
      });
      return pid;
    }
    this.pid = pid;
    for (const stream of this.stdio.slice(1)) {
      if (!stream) continue;
      left++;
      stream.on('close', closed);
    }
    this.ended = (status, signal) => {
      if (signal) this.signalCode = signalName(signal);
      else this.exitCode = status;
      if (this.stdin) this.stdin.destroy();
      this.emit('exit', this.exitCode, this.signalCode);
      // What is still in pipes that nobody reads is dropped.
      process.nextTick(() => {
        for (const stream of this.stdio.slice(1)) {
          if (
            stream &&
            !stream.readableFlowing &&
            stream.listenerCount('readable') === 0 &&
            !stream._readableState.reading &&
            !stream.readableDidRead
          )
            stream.resume();
        }
      });
      closed();
    };
    Object.defineProperty(this, 'ended', { enumerable: false });
    loop.watchChild(pid, this.ended);
    process.nextTick(() => this.emit('spawn'));
    return 0;
  }

  kill(signal) {
    const number = numberOf(signal);
    if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false;
    const code = native.kill(this.pid, number);
    if (code < 0 && code !== -3) throw systemError(code, 'kill');
    this.killed ||= code === 0;
    return code === 0;
  }
  ref() { if (this.ended) this.ended.held = true; }
  unref() { if (this.ended) this.ended.held = false; }
  [Symbol.dispose ?? Symbol.for('dispose')]() { if (!this.killed) this.kill(); }
}

function spawn(file, args, options) {
  options = planOf(file, args, options);
  check.signal(options.signal, 'options.signal');
  const killSignal = numberOf(options.killSignal);
  const child = new ChildProcess();
  child.spawn(options);
  if (options.timeout > 0) {
    const timer = setTimeout(() => child.kill(killSignal), options.timeout);
    child.once('exit', () => clearTimeout(timer));
  }
  if (options.signal) {
    const abort = () => {
      const error = new AbortError(undefined, { cause: options.signal.reason });
      child.kill(killSignal);
      child.emit('error', error);
    };
    if (options.signal.aborted) process.nextTick(abort);
    else {
      options.signal.addEventListener('abort', abort, { once: true });
      child.once('exit', () => options.signal.removeEventListener('abort', abort));
    }
  }
  return child;
}

/// What follows the file in a call: ([args], [options], [callback]).
function argumentsOf(rest) {
  const [first] = rest;
  if (first != null && !['object', 'function'].includes(typeof first)) throw invalidArgType('args', 'object', first);
  const args = first == null || Array.isArray(first) ? rest.shift() ?? [] : [];
  const options = typeof rest[0] === 'function' ? {} : rest.shift() ?? {};
  if (typeof options !== 'object') throw invalidArgType('options', 'object', options);
  const [callback] = rest;
  if (callback != null) check.function(callback, 'callback');
  return { args, options, callback };
}

function execFile(file, ...rest) {
  const { args, options, callback } = argumentsOf(rest);
  return execute(file, args, options, callback);
}

/// What a program writes, as long as there is room for it.
class Output {
  #parts = [];
  #room;
  constructor(room) { this.#room = room; }
  /// Whether all of it had room.
  add(chunk) {
    const room = Math.max(0, this.#room);
    this.#parts.push(typeof chunk === 'string' ? chunk.slice(0, room) : chunk.subarray(0, room));
    this.#room -= Buffer.byteLength(chunk);
    return this.#room >= 0;
  }
  in(encoding) {
    if (typeof this.#parts[0] === 'string') return this.#parts.join('');
    const all = Buffer.concat(this.#parts);
    return Buffer.isEncoding(encoding) ? all.toString(encoding) : all;
  }
}

/// Runs a program; the callback gets all that it wrote, and an exception if it did not end well.
function execute(file, args, options, callback) {
  const { encoding, timeout, maxBuffer, killSignal } = { encoding: 'utf8', maxBuffer: 1024 * 1024, ...options };
  checkLimits({ timeout, maxBuffer });
  // The time is measured here, as what is late is killed with its streams.
  const child = spawn(file, args, { ...options, stdio: 'pipe', timeout: undefined });
  const room = maxBuffer === undefined ? Infinity : maxBuffer;
  const outputs = ['stdout', 'stderr'].map((name) => [name, child[name], new Output(room)]);
  let failure = null;
  let isKilled = false;
  let isOver = false;
  let timer;

  const finish = (code, signal) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (!callback) return;
    const texts = outputs.map(([, , output]) => output.in(encoding));
    const command = [file, ...args].join(' ');
    if (!failure && (code !== 0 || signal !== null)) {
      failure = Object.assign(new Error(`Command failed: ${command}\n${texts[1]}`), {
        code: code < 0 ? SYSTEM[-code]?.[0] : code, killed: child.killed || isKilled, signal,
      });
    }
    if (failure) failure.cmd = command;
    callback(failure, ...texts);
  };
  const fail = (error) => {
    failure = error;
    for (const [, stream] of outputs) stream?.destroy();
  };
  const kill = (error) => {
    isKilled = true;
    fail(error);
    try {
      child.kill(killSignal);
    } catch (other) {
      failure ??= other;
      finish();
    }
  };
  for (const [name, stream, output] of outputs) {
    if (Buffer.isEncoding(encoding)) stream?.setEncoding(encoding);
    stream?.on('data', (chunk) => {
      if (!output.add(chunk))
        kill(coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`));
    });
  }
  if (timeout > 0) timer = setTimeout(() => kill(failure), timeout);
  child.on('close', finish);
  child.on('error', (error) => {
    fail(error);
    finish();
  });
  return child;
}

const inShell = (options) => ({ ...options, shell: typeof options?.shell === 'string' ? options.shell : true });

function exec(command, options, callback) {
  check.string(command, 'command');
  const [given, then] = typeof options === 'function' ? [undefined, options] : [options, callback];
  if (then != null) check.function(then, 'callback');
  return execute(command, [], inShell(given), then);
}

const custom = Symbol.for('nodejs.util.promisify.custom');
for (const call of [exec, execFile]) {
  Object.defineProperty(call, custom, {
    enumerable: false,
    value(...args) {
      let child;
      const promise = new Promise((resolve, reject) => {
        child = call(...args, (error, stdout, stderr) => {
          if (error) reject(Object.assign(error, { stdout, stderr }));
          else resolve({ stdout, stderr });
        });
      });
      promise.child = child;
      return promise;
    },
  });
}

/// Runs a program and waits for its end.
function spawnSync(file, args, options) {
  options = { maxBuffer: 1024 * 1024, ...planOf(file, args, options) };
  checkLimits(options);
  const killSignal = numberOf(options.killSignal);
  const stdio = stdioOf(options.stdio, true);
  let input = options.input;
  if (typeof input === 'string')
    input = Buffer.from(input, options.encoding === 'buffer' ? undefined : options.encoding);
  else if (input !== undefined && input !== null) {
    if (!ArrayBuffer.isView(input))
      throw invalidArgType('options.stdio[0]', ['Buffer', 'TypedArray', 'DataView', 'string'], input);
    input = new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  }
  if (input && stdio[0] !== 'pipe') stdio[0] = 'pipe';
  const { ends, files, close } = openStdio(stdio);
  const pid = start(options, files);
  for (const fd of close) native.close(fd);
  if (pid < 0) {
    for (const fd of ends) if (fd !== undefined) native.close(fd);
    const error = spawnError(pid, options);
    error.message = `spawnSync ${options.file} ${error.code}`;
    error.syscall = `spawnSync ${options.file}`;
    error.stack = error.stack.replace(/^.*/, `Error: ${error.message}`);
    return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const { chunks, failure, status } = exchange({ pid, ends, input, options, killSignal });
  const output = stdio.map((item, i) => {
    if (i === 0 || chunks[i] === undefined) return null;
    const all = Buffer.concat(chunks[i]);
    return options.encoding && options.encoding !== 'buffer' ? all.toString(options.encoding) : all;
  });
  const result = {
    status: status[1] ? null : status[0],
    signal: status[1] ? signalName(status[1]) : null,
    output,
    pid,
    stdout: output[1],
    stderr: output[2],
  };
  if (!failure) return result;
  const error = new Error(`spawnSync ${options.file} ${failure}`);
  Object.assign(error, {
    errno: failure === 'ETIMEDOUT' ? -110 : -105,
    code: failure,
    syscall: `spawnSync ${options.file}`,
    path: options.file,
    spawnargs: options.args.slice(1),
  });
  return { error, ...result };
}

/// Writes the input and reads the outputs until all are at their ends and the child is gone.
function exchange({ pid, ends, input, options, killSignal }) {
  const chunks = [];
  let failure;
  let at = 0;
  let toWrite = ends[0];
  const reading = new Map();
  ends.forEach((fd, i) => {
    if (i === 0 || fd === undefined) return;
    reading.set(fd, i);
    chunks[i] = [];
  });
  if (toWrite !== undefined) {
    native.nonblocking(toWrite, true);
    if (!input?.length) {
      native.close(toWrite);
      toWrite = undefined;
    }
  }
  const sizes = [];
  const due = options.timeout > 0 ? loop.milliseconds() + options.timeout : Infinity;
  const chunk = new Uint8Array(65536);
  const kill = (why) => {
    failure ??= why;
    native.kill(pid, killSignal);
  };
  while (reading.size || toWrite !== undefined) {
    const list = [...reading.keys()].flatMap((fd) => [fd, 1]);
    if (toWrite !== undefined) list.push(toWrite, 2);
    const left = due === Infinity ? -1 : Math.max(0, Math.ceil(due - loop.milliseconds()));
    const got = native.poll(list, left);
    if (due !== Infinity && loop.milliseconds() >= due && !failure) kill('ETIMEDOUT');
    if (failure) break;
    if (typeof got === 'number') continue;
    [...reading.keys()].forEach((fd, i) => {
      if (!got[i]) return;
      const count = native.read(fd, chunk, 0, chunk.length, -1);
      if (count === -4 || count === -11) return;
      const index = reading.get(fd);
      if (count <= 0) {
        reading.delete(fd);
        native.close(fd);
        return;
      }
      chunks[index].push(Buffer.from(chunk.subarray(0, count)));
      sizes[index] = (sizes[index] ?? 0) + count;
      if (sizes[index] > (options.maxBuffer ?? Infinity)) kill('ENOBUFS');
    });
    if (toWrite !== undefined && got.at(-1)) {
      const wrote = native.write(toWrite, input, at, input.length - at, -1);
      if (wrote > 0) at += wrote;
      if (at >= input.length || (wrote < 0 && wrote !== -11 && wrote !== -4)) {
        native.close(toWrite);
        toWrite = undefined;
      }
    }
  }
  for (const fd of reading.keys()) native.close(fd);
  if (toWrite !== undefined) native.close(toWrite);
  for (;;) {
    if (due !== Infinity && !failure) {
      const ended = native.wait(pid, false);
      if (typeof ended !== 'number' && ended[0]) return { chunks, failure, status: [ended[1], ended[2]] };
      if (loop.milliseconds() >= due) kill('ETIMEDOUT');
      else native.poll([], 5);
      continue;
    }
    const ended = native.wait(pid, true);
    if (ended === -4) continue;
    return { chunks, failure, status: typeof ended === 'number' ? [0, 0] : [ended[1], ended[2]] };
  }
}

/// The exception of a program that did not end well, with all that is known of it.
function failureOf(result, command) {
  if (result.error) return Object.assign(result.error, result);
  if (result.status === 0) return undefined;
  const said = result.stderr?.length ? `\n${result.stderr}` : '';
  return Object.assign(new Error(`Command failed: ${command}${said}`), result);
}

/// What a program writes to its output; what it writes about errors is shown if nothing else is asked for.
function outputOf(file, args, options) {
  const result = spawnSync(file, args, options);
  if (!options.stdio && result.stderr?.length) process.stderr.write(result.stderr);
  const error = failureOf(result, [file, ...args].join(' '));
  if (error) throw error;
  return result.stdout;
}

function execFileSync(file, ...rest) {
  const { args, options } = argumentsOf(rest);
  return outputOf(file, args, options);
}

function execSync(command, options) {
  check.string(command, 'command');
  return outputOf(command, [], inShell(options));
}

/// Runs a module in a process of its own, with a channel for messages.
function fork(modulePath, args, options) {
  const file = toPath(modulePath, 'modulePath');
  if (args == null) args = [];
  else if (typeof args === 'object' && !Array.isArray(args)) [options, args] = [args, []];
  else check.array(args, 'args');
  if (options != null && typeof options !== 'object') throw invalidArgType('options', 'object', options);
  options = { ...options, shell: false };
  options.execPath ||= process.execPath;
  const words = options.execArgv ?? withoutScript(process.execArgv);
  options.stdio ??= options.silent ? 'pipe' : 'inherit';
  if (typeof options.stdio === 'string') {
    if (!['pipe', 'ignore', 'overlapped', 'inherit'].includes(options.stdio))
      throw invalidArgValue('stdio', options.stdio);
    options.stdio = [...Array(3).fill(options.stdio), 'ipc'];
  } else if (!options.stdio.includes('ipc')) {
    throw coded(
      Error,
      'ERR_CHILD_PROCESS_IPC_REQUIRED',
      "Forked processes must have an IPC channel, missing value 'ipc' in options.stdio",
    );
  }
  return spawn(options.execPath, [...words, file, ...args], options);
}

/// The engine's own arguments but a script that was one of them: a child runs a file.
function withoutScript(words) {
  const at = words.findLastIndex((word) => ['-e', '--eval', '-p', '-pe', '--print'].includes(word));
  return at < 0 ? words : words.toSpliced(at, 2);
}

module.exports = { _forkChild() {}, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
