// `npm version`: another version in package.json, and in a repository a commit and a tag for it.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const FORM = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/// The version that `wanted` (a version or a part) makes of this one, as semver.org orders them; undefined if it is neither.
function next(now, wanted, id) {
  const given = FORM.exec(wanted);
  if (given) return wanted.replace(/^v/, '').replace(/\+.*/, '');
  const parts = FORM.exec(now);
  if (!parts) return undefined;
  let [major, minor, patch] = parts.slice(1, 4).map(Number);
  let pre = parts[4] ? parts[4].split('.').map((word) => (/^\d+$/.test(word) ? Number(word) : word)) : [];
  const isBefore = pre.length > 0;
  switch (wanted) {
    case 'major':
      if (!(isBefore && !minor && !patch)) major++;
      [minor, patch, pre] = [0, 0, []];
      break;
    case 'minor':
      if (!(isBefore && !patch)) minor++;
      [patch, pre] = [0, []];
      break;
    case 'patch':
      if (!isBefore) patch++;
      pre = [];
      break;
    case 'premajor':
      [major, minor, patch, pre] = [major + 1, 0, 0, following([], id)];
      break;
    case 'preminor':
      [minor, patch, pre] = [minor + 1, 0, following([], id)];
      break;
    case 'prepatch':
      [patch, pre] = [patch + 1, following([], id)];
      break;
    case 'prerelease':
      if (!isBefore) patch++;
      pre = following(pre, id);
      break;
    default:
      return undefined;
  }
  return `${major}.${minor}.${patch}${pre.length ? `-${pre.join('.')}` : ''}`;
}

function following(pre, id) {
  if (id !== undefined && pre[0] !== id) return [id, 0];
  const at = pre.findLastIndex((word) => typeof word === 'number');
  return at < 0 ? [...pre, 0] : pre.map((word, i) => (i === at ? word + 1 : word));
}

/// Writes a version into a file, whose indentation stays.
function write(file, change) {
  const text = fs.readFileSync(file, 'utf8');
  const data = JSON.parse(text);
  change(data);
  const indent = /^\s*\{\s*\n([ \t]+)/.exec(text)?.[1] ?? '';
  fs.writeFileSync(file, JSON.stringify(data, null, indent) + (indent && text.endsWith('\n') ? '\n' : ''));
}

/// `run` runs a script of the package's and returns its status; `fail` tells what is wrong.
module.exports = function version(root, manifest, [wanted], flags, { run, fail, out }) {
  if (wanted === undefined) {
    const own = manifest?.name ? { [manifest.name]: manifest.version } : {};
    out(`${require('util').inspect({ ...own, npm: flags.npm, ...process.versions })}\n`);
    return 0;
  }
  if (!manifest) return 254;
  const made = next(manifest.version ?? '', wanted, flags.preid);
  if (made === undefined) return fail('', `Invalid version: ${wanted}`);
  if (made === manifest.version && !flags['allow-same-version']) return fail('', 'Version not changed');
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const commits = !flags['no-git-tag-version'] && git('rev-parse', '--is-inside-work-tree').status === 0 &&
    fs.existsSync(path.join(root, '.git'));
  if (commits) {
    const changes = git('status', '--porcelain', '-uno').stdout.trim();
    if (changes && !flags.force) return fail('', 'Git working directory not clean.', ...changes.split('\n'));
  }
  const script = (name) => (manifest.scripts?.[name] ? run(name) : 0);
  let status = script('preversion');
  if (status) return status;
  const files = ['package.json', 'package-lock.json'].filter((name) => fs.existsSync(path.join(root, name)));
  for (const name of files) {
    write(path.join(root, name), (data) => {
      data.version = made;
      if (data.packages?.['']) data.packages[''].version = made;
    });
  }
  status = script('version');
  if (status) return status;
  if (commits) {
    for (const args of [['add', ...files], ['commit', '-m', made], ['tag', `v${made}`, '-m', made]]) {
      const done = git(...args);
      if (done.status) return fail(String(done.status), ...`${done.stderr || done.stdout}`.trim().split('\n'));
    }
  }
  status = script('postversion');
  if (status) return status;
  out(`v${made}\n`);
  return 0;
};
