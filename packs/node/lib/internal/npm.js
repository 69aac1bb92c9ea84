// npm and npx, as far as they work without a registry: scripts, a new package.json, packages from archives and
// directories.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const VERSION = '10.8.2';
const err = (text) => native.print(2, text);
const out = (text) => native.print(1, text);

function fail(code, ...lines) {
  err(`npm error${code ? ` code ${code}` : ''}\n${lines.map((line) => `npm error ${line}\n`).join('')}`);
  return 1;
}

/// The directory with the nearest package.json, or the working directory.
function findRoot() {
  for (let at = process.cwd(); ; at = path.dirname(at)) {
    if (native.kind(path.join(at, 'package.json')) === 0 || native.kind(path.join(at, 'node_modules')) === 1) return at;
    if (at === '/') return process.cwd();
  }
}

function readManifest(root) {
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
}

const LIFE = { t: 'test', tst: 'test', 'run-script': 'run', rum: 'run', urn: 'run', i: 'install', add: 'install', in: 'install', ins: 'install', isntall: 'install', 'clean-install': 'ci', ls: 'list', la: 'list', ll: 'list', un: 'uninstall', remove: 'uninstall', rm: 'uninstall', r: 'uninstall', x: 'exec', create: 'init', innit: 'init', info: 'view', show: 'view', v: 'view' };

function main(command, args) {
  if (command === 'npx') return npx(args);
  const flags = {};
  const words = [];
  let rest = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      rest = args.slice(i + 1);
      break;
    }
    if (arg.startsWith('--')) {
      const [name, value] = arg.slice(2).split('=');
      flags[name] =
        value ?? (['prefix', 'workspace', 'loglevel', 'registry', 'omit', 'include', 'preid'].includes(name) ? args[++i] : true);
    } else if (/^-[a-zA-Z]+$/.test(arg) && words.length < 3)
      for (const letter of arg.slice(1))
        flags[
          {
            s: 'silent',
            y: 'yes',
            g: 'global',
            D: 'save-dev',
            S: 'save',
            f: 'force',
            v: 'version',
            h: 'help',
            w: 'workspace',
            d: 'verbose',
          }[letter] ?? letter
        ] = true;
    else words.push(arg);
  }
  if (flags.prefix) process.chdir(flags.prefix);
  if (flags.version && !words.length) {
    out(`${VERSION}\n`);
    return 0;
  }
  if ([flags.workspace, flags.workspaces, flags.ws].some((given) => given && given !== 'false')) return noWorkspaces();
  const verb = LIFE[words[0]] ?? words[0];
  const given = words.slice(1);
  switch (verb) {
    case 'run':
      return given.length ? runScript(given[0], [...given.slice(1), ...rest], flags) : listScripts();
    case 'test':
    case 'start':
    case 'stop':
    case 'restart':
      return runScript(verb, [...given, ...rest], flags);
    case 'init':
      return init(flags);
    case 'install':
    case 'ci':
      return install(given, flags);
    case 'uninstall':
      return uninstall(given);
    case 'exec':
      return npx([...given, ...rest]);
    case 'list':
      return list(given);
    case 'root':
      out(`${path.join(findRoot(), 'node_modules')}\n`);
      return 0;
    case 'prefix':
      out(`${findRoot()}\n`);
      return 0;
    case 'bin':
      out(`${path.join(findRoot(), 'node_modules/.bin')}\n`);
      return 0;
    case 'pkg':
      return pkg(given);
    case 'config':
    case 'get':
    case 'set':
      return config(given);
    case 'version':
      return setVersion(given, flags);
    case 'pack':
      return pack();
    case undefined:
    case 'help':
      out(
        'npm <command>\n\nIn this sandbox: run, test, start, stop, init -y, install (of archives and directories), uninstall, exec, list, pack, pkg, root, prefix, version\n',
      );
      return verb ? 0 : 1;
    case 'view':
    case 'publish':
    case 'audit':
    case 'outdated':
    case 'update':
    case 'search':
    case 'login':
    case 'whoami':
    case 'fund':
    case 'ping':
      return fail('ENOTFOUND', `npm ${verb} needs the registry, and this sandbox has no network`);
    default:
      err(`Unknown command: "${words[0]}"\n\nTo see a list of supported npm commands, run:\n  npm help\n`);
      return 1;
  }
}

function needManifest(root) {
  const file = path.join(root, 'package.json');
  if (native.kind(file) === 0) {
    try {
      return readManifest(root);
    } catch (error) {
      fail(
        'EJSONPARSE',
        `JSON.parse Invalid package.json: ${error.message}`,
        'JSON.parse Failed to parse JSON data.',
        'JSON.parse Note: package.json must be actual JSON, not just JavaScript.',
      );
      return undefined;
    }
  }
  fail(
    'ENOENT',
    'syscall open',
    `path ${file}`,
    'errno -2',
    `enoent Could not read package.json: Error: ENOENT: no such file or directory, open '${file}'`,
    'enoent This is related to npm not being able to find a file.',
    'enoent',
  );
  return undefined;
}

function binPath(root) {
  const folders = [];
  for (let at = root; ; at = path.dirname(at)) {
    folders.push(path.join(at, 'node_modules/.bin'));
    if (at === '/') break;
  }
  return [...folders, process.env.PATH ?? '/usr/bin:/bin'].join(':');
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function environment(root, manifest, event, script) {
  const env = {
    ...process.env,
    PATH: binPath(root),
    INIT_CWD: process.cwd(),
    npm_command: event === 'test' ? 'test' : 'run-script',
    npm_execpath: '/usr/bin/npm',
    npm_node_execpath: '/usr/bin/node',
    NODE: '/usr/bin/node',
    npm_lifecycle_event: event,
    npm_lifecycle_script: script,
    npm_package_json: path.join(root, 'package.json'),
    npm_config_user_agent: `npm/${VERSION} node/${process.version} linux wasm32`,
  };
  if (manifest.name) env.npm_package_name = manifest.name;
  if (manifest.version) env.npm_package_version = manifest.version;
  for (const [name, value] of Object.entries(manifest.config ?? {})) env[`npm_package_config_${name}`] = `${value}`;
  return env;
}

function runScript(name, args, flags) {
  const root = findRoot();
  const manifest = needManifest(root);
  if (!manifest) return 254;
  const scripts = { ...manifest.scripts };
  if (name === 'start' && scripts.start === undefined && native.kind(path.join(root, 'server.js')) === 0)
    scripts.start = 'node server.js';
  if (name === 'env') scripts.env ??= 'env';
  if (scripts[name] === undefined) {
    if (flags['if-present']) return 0;
    const close = Object.keys(scripts).filter((other) => other.startsWith(name) || name.startsWith(other));
    const lines = [`Missing script: "${name}"`];
    if (close.length)
      lines.push(
        '',
        `Did you mean ${close.length > 1 ? 'one of these' : 'this'}?`,
        ...close.map((other) => `  npm run ${other} # run the "${other}" package script`),
      );
    lines.push('', 'To see a list of scripts, run:', '  npm run');
    err(lines.map((line) => `npm error${line ? ` ${line}` : ''}\n`).join(''));
    return 1;
  }
  for (const [event, extra] of [[`pre${name}`, []], [name, args], [`post${name}`, []]]) {
    const script = scripts[event];
    if (script === undefined) continue;
    const line = [script, ...extra.map(quoted)].join(' ');
    const shown = [script, ...extra].join(' ');
    const id = [manifest.name, manifest.version].filter(Boolean).join('@');
    if (!flags.silent && flags.loglevel !== 'silent') out(`\n> ${id ? `${id} ` : ''}${event}\n> ${shown}\n\n`);
    const done = spawnSync('/bin/sh', ['-c', line], {
      cwd: root,
      stdio: 'inherit',
      env: environment(root, manifest, event, script),
    });
    if (done.status !== 0) {
      if (done.signal) return 128 + require('internal/constants').signals[done.signal];
      return done.status ?? 1;
    }
  }
  return 0;
}

function listScripts() {
  const root = findRoot();
  const manifest = needManifest(root);
  if (!manifest) return 254;
  const scripts = Object.entries(manifest.scripts ?? {});
  if (!scripts.length) return 0;
  const known = [
    'test',
    'start',
    'stop',
    'restart',
    'install',
    'preinstall',
    'postinstall',
    'prepare',
    'pretest',
    'posttest',
    'version',
  ];
  const id = [manifest.name, manifest.version].filter(Boolean).join('@');
  const show = (list, head) => {
    if (list.length) out(`${head}\n${list.map(([name, text]) => `  ${name}\n    ${text}\n`).join('')}`);
  };
  const life = scripts.filter(([name]) => known.includes(name));
  const others = scripts.filter(([name]) => !known.includes(name));
  show(life, `Lifecycle scripts included in ${id}:`);
  show(others, life.length ? 'available via `npm run`:' : `Scripts available in ${id} via \`npm run\`:`);
  return 0;
}

function init(flags) {
  if (!flags.yes && !flags.y && !flags.force)
    return fail('', 'npm init asks questions; in this sandbox use npm init -y');
  const root = process.cwd();
  const file = path.join(root, 'package.json');
  const before = native.kind(file) === 0 ? readManifest(root) : {};
  const main = before.main ?? (fs.readdirSync(root).filter((name) => name.endsWith('.js')).sort((a, b) => (b === 'index.js') - (a === 'index.js'))[0] ?? 'index.js');
  const manifest = {
    name:
      before.name ??
      path
        .basename(root)
        .toLowerCase()
        .replace(/^[._]+/, '')
        .replace(/[^a-z0-9._~-]+/g, '-'),
    version: before.version ?? '1.0.0',
    ...(before.description !== undefined ? { description: before.description } : {}),
    main,
    ...before,
    scripts: before.scripts ?? { test: 'echo "Error: no test specified" && exit 1' },
    keywords: before.keywords ?? [],
    author: before.author ?? '',
    license: before.license ?? 'ISC',
    description: before.description ?? '',
  };
  if (native.kind(path.join(root, 'test')) === 1 && !before.scripts) manifest.directories = { test: 'test' };
  const text = JSON.stringify(manifest, null, 2);
  fs.writeFileSync(file, `${text}\n`);
  out(`Wrote to ${file}:\n\n${text}\n\n\n`);
  return 0;
}

/// What a word names: a directory, an archive, or something of the registry.
function localOf(word) {
  const name = word.replace(/^file:/, '');
  const full = path.resolve(name.replace(/^~(?=\/)/, process.env.HOME ?? '~'));
  if (/^(\.|\/|~\/|file:)/.test(word) || /\.(tgz|tar\.gz|tar)$/.test(word)) {
    if (native.kind(full) === 1) return { kind: 'directory', full };
    if (native.kind(full) === 0) return { kind: 'archive', full };
  }
  return undefined;
}

const noWorkspaces = () => fail('ENOTSUP', 'Workspaces are not available in this sandbox');

function install(words, flags) {
  const root = findRoot();
  const file = path.join(root, 'package.json');
  const manifest = native.kind(file) === 0 ? needManifest(root) : {};
  if (!manifest) return 1;
  if (manifest.workspaces) return noWorkspaces();
  let todo;
  if (words.length) todo = words.map((word) => ({ word, save: true }));
  else
    todo = Object.entries({
      ...manifest.dependencies,
      ...(flags.omit === 'dev' || flags.production ? {} : manifest.devDependencies),
      ...manifest.optionalDependencies,
    }).map(([name, word]) => ({ name, word }));
  let added = 0;
  for (const { name, word, save } of todo) {
    const local = localOf(word);
    if (!local) {
      const there = name && native.kind(path.join(root, 'node_modules', name, 'package.json')) === 0;
      if (there) continue;
      return fail(
        /^(\.|\/|file:)/.test(word) || /\.(tgz|tar\.gz)$/.test(word) ? 'ENOENT' : 'ENOTFOUND',
        ...(/^(\.|\/|file:)/.test(word)
          ? [`Could not install from "${word}": no such file or directory`]
          : [
              `${name ?? word} would come from the registry, and this sandbox has no network`,
              'archives (npm pack) and directories can be installed',
            ]),
      );
    }
    const installed = place(root, local);
    added++;
    if (save && flags['no-save'] !== true && flags.save !== 'false') {
      const where = flags['save-dev'] ? 'devDependencies' : 'dependencies';
      manifest[where] = Object.fromEntries(
        Object.entries({ ...manifest[where], [installed.name]: `file:${path.relative(root, local.full)}` }).sort(
          ([a], [b]) => (a < b ? -1 : 1),
        ),
      );
    }
    todo.push(
      ...Object.entries(installed.dependencies ?? {})
        .filter(([other]) => native.kind(path.join(root, 'node_modules', other)) !== 1 && local.kind !== 'directory')
        .map(([other, range]) => ({ name: other, word: range })),
    );
  }
  if (words.length && flags['no-save'] !== true) fs.writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  out(
    added
      ? `\nadded ${added} package${added > 1 ? 's' : ''} in ${Math.max(1, Math.round(process.uptime()))}s\n`
      : '\nup to date in 1s\n',
  );
  for (const event of words.length ? [] : ['preinstall', 'install', 'postinstall', 'prepare']) {
    if (manifest.scripts?.[event] && !flags['ignore-scripts']) {
      const status = runScript(event, [], flags);
      if (status !== 0) return status;
    }
  }
  return 0;
}

/// Puts a package into node_modules; its manifest.
function place(root, local) {
  const modules = path.join(root, 'node_modules');
  fs.mkdirSync(modules, { recursive: true });
  if (local.kind === 'directory') {
    const manifest = readManifest(local.full);
    const target = path.join(modules, manifest.name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.rmSync(target, { recursive: true, force: true });
    fs.symlinkSync(path.relative(path.dirname(target), local.full), target);
    link(modules, manifest, target);
    return manifest;
  }
  const files = require('internal/tar').unpack(fs.readFileSync(local.full));
  const entry = files.find(({ name }) => /^[^/]+\/package\.json$/.test(name));
  if (!entry) throw new Error(`${local.full}: no package.json in the archive`);
  const manifest = JSON.parse(entry.data.toString());
  if (!/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(manifest.name))
    throw new Error(`Invalid name: ${JSON.stringify(manifest.name)}`);
  const target = path.join(modules, manifest.name);
  fs.rmSync(target, { recursive: true, force: true });
  for (const { name, data, mode } of files) {
    const inside = path.normalize(name.replace(/^[^/]+\//, ''));
    if (inside.startsWith('..') || path.isAbsolute(inside)) continue;
    const full = path.join(target, inside);
    fs.mkdirSync(path.dirname(full), { recursive: true });
    fs.writeFileSync(full, data, { mode: mode & 0o111 ? 0o755 : 0o644 });
  }
  link(modules, manifest, target);
  return manifest;
}

/// Commands of a package in node_modules/.bin.
function link(modules, manifest, target) {
  const bins =
    typeof manifest.bin === 'string'
      ? { [manifest.name.replace(/^@[^/]+\//, '')]: manifest.bin }
      : (manifest.bin ?? {});
  for (const [name, file] of Object.entries(bins)) {
    const folder = path.join(modules, '.bin');
    fs.mkdirSync(folder, { recursive: true });
    const place_ = path.join(folder, path.basename(name));
    fs.rmSync(place_, { force: true });
    const program = path.join(target, file);
    fs.symlinkSync(path.relative(folder, program), place_);
    if (native.kind(program) === 0) fs.chmodSync(program, 0o755);
  }
}

function uninstall(words) {
  const root = findRoot();
  const manifest = needManifest(root);
  if (!manifest) return 254;
  let removed = 0;
  for (const name of words) {
    const target = path.join(root, 'node_modules', name);
    if (native.kind(target) === 1) removed++;
    fs.rmSync(target, { recursive: true, force: true });
    for (const where of ['dependencies', 'devDependencies']) if (manifest[where]) delete manifest[where][name];
  }
  fs.writeFileSync(path.join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  out(removed ? `\nremoved ${removed} package${removed > 1 ? 's' : ''} in 1s\n` : '\nup to date in 1s\n');
  return 0;
}

function installed(root) {
  const modules = path.join(root, 'node_modules');
  if (native.kind(modules) !== 1) return [];
  const names = fs
    .readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? fs.readdirSync(path.join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    );
  return names.filter((name) => native.kind(path.join(modules, name, 'package.json')) === 0);
}

function setVersion(words, flags) {
  const root = findRoot();
  const manifest = words.length || native.kind(path.join(root, 'package.json')) === 0 ? needManifest(root) : undefined;
  const run = (name) => runScript(name, [], flags);
  return require('internal/npm_version')(root, manifest, words, { ...flags, npm: VERSION }, { run, fail, out });
}

/// All packages that are installed, or those with these names.
function list(wanted) {
  const root = findRoot();
  const manifest = native.kind(path.join(root, 'package.json')) === 0 ? readManifest(root) : {};
  const names = installed(root).filter((name) => !wanted.length || wanted.some((word) => word.replace(/(.)@.*/, '$1') === name));
  out(`${[manifest.name, manifest.version].filter(Boolean).join('@')}${manifest.name ? ' ' : ''}${root}\n`);
  if (!names.length) out('└── (empty)\n');
  names.forEach((name, i) => {
    const folder = path.join(root, 'node_modules', name);
    const isLink = fs.lstatSync(folder).isSymbolicLink();
    out(
      `${i === names.length - 1 ? '└──' : '├──'} ${name}@${readManifest(folder).version}${isLink ? ` -> ./${path.relative(root, fs.realpathSync(folder))}` : ''}\n`,
    );
  });
  out('\n');
  return wanted.length && !names.length ? 1 : 0;
}

function pkg([verb, ...words]) {
  const root = findRoot();
  const manifest = needManifest(root);
  if (!manifest) return 254;
  const at = (key) => key.split('.').reduce((value, part) => value?.[part], manifest);
  if (verb === 'get') {
    const value =
      words.length === 1
        ? at(words[0])
        : words.length
          ? Object.fromEntries(words.map((word) => [word, at(word)]))
          : manifest;
    out(`${JSON.stringify(value ?? {}, null, 2)}\n`);
    return 0;
  }
  for (const word of words) {
    const [key, ...rest] = word.split('=');
    const parts = key.split('.');
    const last = parts.pop();
    let target = manifest;
    for (const part of parts) target = target[part] ??= {};
    if (verb === 'set') target[last] = rest.join('=');
    else if (verb === 'delete') delete target[last];
    else return fail('EUSAGE', 'npm pkg get, set and delete');
  }
  fs.writeFileSync(path.join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return 0;
}

function config(words) {
  const name = words.at(-1);
  const values = { prefix: '/usr', registry: 'none', cache: path.join(process.env.HOME ?? '/', '.npm') };
  out(`${values[name] ?? 'undefined'}\n`);
  return 0;
}

function pack() {
  const root = findRoot();
  const manifest = needManifest(root);
  if (!manifest) return 254;
  const name = `${manifest.name.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`;
  const wanted = manifest.files?.map((file) => file.replace(/^\.?\//, '').replace(/\/$/, ''));
  const files = fs
    .readdirSync(root, { recursive: true })
    .filter(
      (file) =>
        native.kind(path.join(root, file)) === 0 &&
        !/(^|\/)(node_modules|\.git)(\/|$)/.test(file) &&
        file !== name &&
        !/\.tgz$/.test(file) &&
        (!wanted ||
          /^(package\.json|readme.*|licen[sc]e.*)$/i.test(file) ||
          file === manifest.main ||
          wanted.some((part) => file === part || file.startsWith(`${part}/`))),
    );
  const data = require('internal/tar').pack(
    files
      .sort()
      .map((file) => ({
        name: `package/${file}`,
        data: fs.readFileSync(path.join(root, file)),
        mode: fs.statSync(path.join(root, file)).mode & 0o777,
      })),
  );
  fs.writeFileSync(path.join(process.cwd(), name), require('zlib').gzipSync(data));
  out(`${name}\n`);
  return 0;
}

function npx(args) {
  const words = [...args];
  while (words.length && /^(-y|--yes|--no-install|--no|--)$/.test(words[0])) words.shift();
  let command = words.shift();
  if (command === '-c' || command === '--call') {
    const done = spawnSync('/bin/sh', ['-c', words[0]], {
      stdio: 'inherit',
      env: { ...process.env, PATH: binPath(process.cwd()) },
    });
    return done.status ?? 1;
  }
  if (command === '--version' || command === '-v') {
    out(`${VERSION}\n`);
    return 0;
  }
  if (command === undefined) return fail('', 'npx <command> runs a command of an installed package');
  command = command.replace(/(?<=.)@[^/]*$/, '');
  const short = command.replace(/^@[^/]+\//, '');
  for (let at = process.cwd(); ; at = path.dirname(at)) {
    const program = path.join(at, 'node_modules/.bin', short);
    if (native.kind(program) === 0) {
      const done = spawnSync(program, words, {
        stdio: 'inherit',
        env: { ...process.env, PATH: binPath(process.cwd()) },
      });
      if (done.error) return fail(done.error.code, done.error.message);
      return done.signal ? 128 + require('internal/constants').signals[done.signal] : done.status;
    }
    if (at === '/') break;
  }
  const own = native.kind('package.json') === 0 ? readManifest(process.cwd()) : {};
  const bin = typeof own.bin === 'string' && own.name === short ? own.bin : own.bin?.[short];
  if (bin) return spawnSync(process.execPath, [path.resolve(bin), ...words], { stdio: 'inherit' }).status ?? 1;
  return fail(
    'ENOTFOUND',
    `${command} is not installed; it would come from the registry, and this sandbox has no network`,
  );
}

module.exports = { main(command, args) {
  try {
    return main(command, args);
  } catch (error) {
    return fail(error.code, error.message);
  }
} };
