// `fs.cp`.

const fs = require('fs');
const { join, dirname, resolve } = require('path');
const { coded, SystemError } = require('internal/errors');

function failure(code, message, syscall, path) {
  return coded(Error, code, `${message}`, {
    info: { message, path, syscall, errno: 22, code: 'EINVAL' },
    errno: 22,
    syscall,
  });
}

function copy(
  from,
  to,
  {
    recursive = false,
    force = true,
    errorOnExist = false,
    filter,
    dereference = false,
    preserveTimestamps = false,
    mode = 0,
  } = {},
) {
  const todo = [[from, to]];
  while (todo.length) {
    const [source, target] = todo.pop();
    if (filter && !filter(source, target)) continue;
    const about = dereference ? fs.statSync(source) : fs.lstatSync(source);
    if (about.isDirectory()) {
      if (!recursive)
        throw coded(
          SystemError,
          'ERR_FS_EISDIR',
          `Path is a directory: cp returned EISDIR (${source} is a directory (not copied)) ${source}`,
        );
      if (`${resolve(target)}/`.startsWith(`${resolve(source)}/`))
        throw failure('ERR_FS_CP_EINVAL', `Cannot copy ${source} to a subdirectory of self ${target}`, 'cp', target);
      fs.mkdirSync(target, { recursive: true, mode: about.mode & 0o7777 });
      for (const name of fs.readdirSync(source)) todo.push([join(source, name), join(target, name)]);
      continue;
    }
    fs.mkdirSync(dirname(target), { recursive: true });
    const there = fs.lstatSync(target, { throwIfNoEntry: false });
    if (there) {
      if (!force) {
        if (errorOnExist)
          throw coded(
            Error,
            'ERR_FS_CP_EEXIST',
            `Target already exists: cp returned EEXIST (${target} already exists) ${target}`,
          );
        continue;
      }
      if (!about.isFile()) fs.unlinkSync(target);
    }
    if (about.isSymbolicLink()) fs.symlinkSync(resolve(dirname(source), fs.readlinkSync(source)), target);
    else fs.copyFileSync(source, target, mode);
    if (preserveTimestamps) fs.utimesSync(target, about.atime, about.mtime);
  }
}

module.exports = { copy };
