// The real paths of files, and the first of several directories that are made.
import fs from 'node:fs';
const tried = (work) => {
  try {
    console.log(work());
  } catch (error) {
    console.log(error.message, error.syscall, error.path);
  }
};
process.chdir('/tmp');
fs.rmSync('q', { recursive: true, force: true });
for (const path of ['q/w/e', 'q/w/e/../f/g', '/tmp/q/z/y', './q/u/v', 'q/w']) tried(() => fs.mkdirSync(path, { recursive: true }));
fs.symlinkSync('nowhere', 'q/broken');
fs.symlinkSync('loop', 'q/loop');
for (const path of ['q/broken', 'q/loop', '', 'q/none/x', 'q/w/./e/..', '/tmp/q/broken/x']) {
  tried(() => fs.realpathSync(path));
  tried(() => fs.realpathSync.native(path));
  await fs.promises.realpath(path).then(console.log, (error) => console.log(error.message, error.syscall, error.path));
  await new Promise((done) => fs.realpath(path, (error, found) => done(console.log(error?.message, found))));
}
await new Promise((done) => fs.mkdir('q/m/n', { recursive: true }, (error, first) => done(console.log(error, first))));
console.log(await fs.promises.mkdir('q/mm/n', { recursive: true }));
fs.rmSync('q', { recursive: true });
