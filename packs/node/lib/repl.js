// The prompt.

const { Interface } = require('readline');
const { inspect } = require('internal/inspect');
const { NAMES } = require('internal/builtins');

class Recoverable extends SyntaxError {
  constructor(error) {
    super();
    this.err = error;
  }
}

/// Whether more lines could make a text complete.
function isIncomplete(error, text) {
  if (!(error instanceof SyntaxError)) return false;
  if (
    /Unexpected end of input|unexpected end of comment|Unterminated template|missing \) after argument list/.test(
      error.message,
    )
  ) {
    return /end of/.test(error.message) || !text.trimEnd().endsWith(')');
  }
  const found = /:(\d+):(\d+)/.exec(error.stack);
  void found;
  return /Invalid or unexpected token/.test(error.message) && (text.match(/`/g)?.length ?? 0) % 2 === 1;
}

/// `let` and the like at the top become properties of the global object, so that later lines see them; so do values
/// that are awaited.
function adapted(text) {
  if (!/\bawait\b/.test(text)) return text;
  const names = [...text.matchAll(/^\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=/gm)].map((found) => found[1]);
  let body = text.replace(/^(\s*)(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=/gm, '$1$2 =');
  if (!/[;\n]/.test(body.trim().replace(/;$/, ''))) body = `return (${body.trim().replace(/;$/, '')})`;
  return `${names.map((name) => `var ${name};`).join('')}(async () => { ${body} })()`;
}

class REPLServer extends Interface {
  constructor(options = {}) {
    if (typeof options === 'string') options = { prompt: options };
    super({
      input: options.input ?? process.stdin,
      output: options.output ?? process.stdout,
      prompt: options.prompt ?? '> ',
    });
    const hide = (name, value) => Object.defineProperty(this, name, { value, writable: true, enumerable: false });
    this.context = globalThis;
    this.commands = Object.assign(Object.create(null), COMMANDS);
    hide('pending', '');
    hide('main', options);
    hide('busy', false);
    hide('waiting', []);
    this.writer =
      options.writer ?? ((value) => inspect(value, { colors: !!this.output.isTTY && this.output.hasColors?.() }));
    this.ignoreUndefined = !!options.ignoreUndefined;
    this.eval = options.eval ?? evaluate;
    this.on('line', (line) => { this.waiting.push(line); this.next(); });
    this.on('close', () => this.emit('exit'));
    this.prompt();
  }

  next() {
    if (this.busy || !this.waiting.length) return;
    const line = this.waiting.shift();
    const command = /^\s*\.([a-z]+)\s*(.*)$/.exec(line);
    if (command && !this.pending && this.commands[command[1]]) {
      this.commands[command[1]].action.call(this, command[2]);
      this.next();
      return;
    }
    if (command && !this.pending && !/^\s*\.\d/.test(line)) {
      this.output.write('Invalid REPL keyword\n');
      this.prompt();
      this.next();
      return;
    }
    const text = `${this.pending}${line}\n`;
    if (text.trim() === '') {
      this.prompt();
      this.next();
      return;
    }
    this.busy = true;
    this.eval(text, globalThis, 'REPL', (error, value) => {
      this.busy = false;
      if (error instanceof Recoverable) {
        this.pending = text;
        this.output.write('... ');
        this.next();
        return;
      }
      this.pending = '';
      if (error) {
        Object.defineProperty(globalThis, '_error', { value: error, writable: true, configurable: true });
        this.output.write(`Uncaught ${errorText(error)}\n`);
      } else {
        Object.defineProperty(globalThis, '_', { value, writable: true, configurable: true });
        if (value !== undefined || !this.ignoreUndefined) this.output.write(`${this.writer(value)}\n`);
      }
      this.prompt();
      this.next();
    });
  }

  defineCommand(name, command) { this.commands[name] = typeof command === 'function' ? { action: command } : command; }
  displayPrompt() { this.prompt(); }
  clearBufferedCommand() { this.pending = ''; }
  setupHistory(file, callback) { callback(null, this); }
}

function errorText(error) {
  if (!(error instanceof Error)) return inspect(error);
  const lines = inspect(error)
    .split('\n')
    .filter((line) => !/^ {4}at .*(\(node:|at node:|\(<anonymous>\)|native)/.test(line));
  return lines
    .join('\n')
    .replace(/^\[(\w+: [^]*)\]$/, '$1')
    .replace(/^(\w*Error)\n/, '$1\n');
}

function evaluate(text, context, file, callback) {
  native.sources[file] = text;
  const wrapped = /^\s*\{/.test(text) && !/;\s*$/.test(text) ? `(${text.trim()})` : undefined;
  for (const attempt of wrapped ? [wrapped, text] : [text]) {
    try {
      native.checkSyntax(adapted(attempt), file, false, 1);
    } catch (error) {
      if (attempt === wrapped) continue;
      if (isIncomplete(error, text)) return callback(new Recoverable(error));
      error.stack = `${error.name}: ${error.message}`;
      return callback(error);
    }
    try {
      const value = native.evaluate(adapted(attempt), file, 1);
      if (adapted(attempt) !== attempt) value.then((got) => callback(null, got), (error) => callback(error));
      else callback(null, value);
    } catch (error) {
      callback(error ?? new Error('Uncaught'));
    }
    return;
  }
}

const COMMANDS = {
  break: {
    help: 'Sometimes you get stuck, this gets you out',
    action() {
      this.pending = '';
      this.prompt();
    },
  },
  clear: {
    help: 'Alias for .break',
    action() {
      this.pending = '';
      this.prompt();
    },
  },
  exit: {
    help: 'Exit the REPL',
    action() {
      this.close();
    },
  },
  help: {
    help: 'Print this help message',
    action() {
      for (const name of Object.keys(this.commands).sort())
        this.output.write(`.${name.padEnd(9)}${this.commands[name].help ?? ''}\n`);
      this.output.write('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n');
      this.prompt();
    },
  },
  load: {
    help: 'Load JS from a file into the REPL session',
    action(file) {
      try {
        for (const line of require('fs').readFileSync(file, 'utf8').split('\n')) this.waiting.push(line);
      } catch {
        this.output.write(`Failed to load: ${file}\n`);
      }
      this.prompt();
    },
  },
  save: {
    help: 'Save all evaluated commands in this REPL session to a file',
    action() {
      this.output.write('Failed to save\n');
      this.prompt();
    },
  },
};

module.exports = {
  REPLServer,
  Recoverable,
  start: (options) => new REPLServer(options),
  builtinModules: NAMES,
  _builtinLibs: NAMES,
  writer: inspect,
  REPL_MODE_SLOPPY: Symbol('repl-sloppy'),
  REPL_MODE_STRICT: Symbol('repl-strict'),
};
