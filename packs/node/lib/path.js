// Names of files, as POSIX and as Windows has them.

const { check } = require('internal/errors');

/// The parts of a path without `.` and, where there is something to leave, `..`.
function simplified(path, isAbsolute, isSeparator, separator) {
  const out = [];
  let part = '';
  const finish = () => {
    if (part === '..') {
      if (out.length && out.at(-1) !== '..') out.pop();
      else if (!isAbsolute) out.push('..');
    } else if (part !== '' && part !== '.') out.push(part);
    part = '';
  };
  for (const char of path) {
    if (isSeparator(char)) finish();
    else part += char;
  }
  finish();
  return out.join(separator);
}

const isSlash = (char) => char === '/';
const isEither = (char) => char === '/' || char === '\\';

/// What a name ends with from its last dot on, which is not its first character.
function extension(name) {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name === '..' ? '' : name.slice(dot);
}

function make(windows) {
  const sep = windows ? '\\' : '/';
  const isSeparator = windows ? isEither : isSlash;

  /// The part of a Windows path that `..` cannot leave: [root with separator, device].
  function rootOf(path) {
    if (!windows) return path[0] === '/' ? '/' : '';
    if (path === '') return '';
    if (isSeparator(path[0])) {
      const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)([\\/]?)/.exec(path);
      return share ? path.slice(0, share[0].length) : path[0];
    }
    const drive = /^[a-zA-Z]:[\\/]?/.exec(path);
    return drive ? drive[0] : '';
  }

  function device(root) {
    if (!windows) return '';
    if (/^[a-zA-Z]:/.test(root)) return root.slice(0, 2);
    const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(root);
    return share ? `\\\\${share[1]}\\${share[2]}` : '';
  }

  /// A path's last name and where it begins, after the first characters, of which it has none.
  function lastName(path, least) {
    let end = path.length;
    while (end > least && isSeparator(path[end - 1])) end--;
    let start = end;
    while (start > least && !isSeparator(path[start - 1])) start--;
    return { start, name: path.slice(start, end) };
  }

  const api = {
    sep,
    delimiter: windows ? ';' : ':',
    resolve(...paths) {
      let tail = '';
      let absolute = false;
      let drive = '';
      for (let i = paths.length - 1; i >= -1 && !(absolute && (!windows || drive)); i--) {
        let path;
        if (i >= 0) {
          path = paths[i];
          check.string(path, `paths[${i}]`);
          if (path.length === 0) continue;
        } else path = process.cwd();
        const root = rootOf(path);
        const named = device(root);
        if (named && drive && named.toLowerCase() !== drive.toLowerCase()) continue;
        if (!drive) drive = named;
        if (absolute) continue;
        tail = `${path.slice(root.length)}${sep}${tail}`;
        absolute = windows ? /[\\/]$/.test(root) || root.startsWith('\\\\') : root !== '';
      }
      tail = simplified(tail, absolute, isSeparator, sep);
      return (drive + (absolute ? sep : '') + tail) || '.';
    },
    normalize(path) {
      check.string(path, 'path');
      if (path.length === 0) return '.';
      const root = rootOf(path);
      const named = device(root);
      const absolute = windows ? /[\\/]$/.test(root) || (named.startsWith('\\\\')) : root !== '';
      let tail = simplified(path.slice(root.length), absolute, isSeparator, sep);
      if (tail === '' && !absolute) tail = '.';
      if (tail !== '' && isSeparator(path.at(-1))) tail += sep;
      // What is no drive must not become one.
      if (windows && root === '' && (/^[a-zA-Z]:/.test(tail) || /:([\\/]|$)/.test(path))) return `.\\${tail}`;
      return named + (absolute ? sep : '') + tail;
    },
    isAbsolute(path) {
      check.string(path, 'path');
      if (!windows) return path[0] === '/';
      return path !== '' && (isSeparator(path[0]) || /^[a-zA-Z]:[\\/]/.test(path));
    },
    join(...paths) {
      let joined;
      for (const path of paths) {
        check.string(path, 'path');
        if (path.length > 0) joined = joined === undefined ? path : `${joined}${sep}${path}`;
      }
      if (joined === undefined) return '.';
      if (windows && /^[\\/]{2}/.test(joined) && !/^[\\/]{2}[^\\/]/.test(paths.find((path) => path.length)))
        joined = joined.replace(/^[\\/]+/, '\\');
      return api.normalize(joined);
    },
    relative(from, to) {
      check.string(from, 'from');
      check.string(to, 'to');
      if (from === to) return '';
      from = api.resolve(from);
      to = api.resolve(to);
      if (from === to) return '';
      const same = windows ? (a, b) => a.toLowerCase() === b.toLowerCase() : (a, b) => a === b;
      if (same(from, to)) return '';
      const left = from.split(sep).filter(Boolean);
      const right = to.split(sep).filter(Boolean);
      if (windows && left.length === 0 && from.startsWith(sep)) return to.replace(/^\\+/, '');
      if (windows && !same(left[0] ?? '', right[0] ?? '')) return to;
      let common = 0;
      while (common < left.length && common < right.length && same(left[common], right[common])) common++;
      return [...left.slice(common).map(() => '..'), ...right.slice(common)].join(sep);
    },
    toNamespacedPath(path) {
      if (!windows || typeof path !== 'string' || path === '') return path;
      const full = api.resolve(path);
      if (full.length <= 2) return path;
      if (/^\\\\[^?.]/.test(full)) return `\\\\?\\UNC\\${full.slice(2)}`;
      return /^[a-zA-Z]:\\/.test(full) ? `\\\\?\\${full}` : full;
    },
    dirname(path) {
      check.string(path, 'path');
      const root = rootOf(path);
      const { start } = lastName(path, root.length);
      if (start <= root.length) return root || '.';
      return !windows && start === 2 && path.startsWith('//') ? '//' : path.slice(0, start - 1);
    },
    basename(path, suffix) {
      if (suffix !== undefined) check.string(suffix, 'suffix');
      check.string(path, 'path');
      const { name } = lastName(path, windows && /^[a-zA-Z]:/.test(path) ? 2 : 0);
      if (path === suffix) return '';
      return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
    },
    extname(path) {
      check.string(path, 'path');
      return extension(api.basename(path));
    },
    format(object) {
      check.object(object, 'pathObject');
      const dir = object.dir || object.root;
      const ext = object.ext ? (object.ext[0] === '.' ? object.ext : `.${object.ext}`) : '';
      const base = object.base || `${object.name || ''}${ext}`;
      if (!dir) return base;
      return dir === object.root ? `${dir}${base}` : `${dir}${sep}${base}`;
    },
    parse(path) {
      check.string(path, 'path');
      const root = rootOf(path);
      const { start, name: base } = lastName(path, root.length);
      const dir = path.slice(0, start > root.length ? start - 1 : root.length);
      const ext = extension(base);
      return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
    },
    matchesGlob(path, pattern) {
      check.string(path, 'path');
      check.string(pattern, 'pattern');
      return require('internal/glob').matches(path, pattern);
    },
  };
  return api;
}

const posix = make(false);
const win32 = make(true);
for (const api of [posix, win32]) {
  api.posix = posix;
  api.win32 = win32;
  api._makeLong = api.toNamespacedPath;
}
module.exports = posix;
