// A child may end before anything else happens.
const { exec, execFile, spawn } = require('child_process');
const { promisify } = require('util');
(async () => {
  for (let i = 0; i < 12; i++) console.log((await promisify(exec)(`echo ${i}`)).stdout.trim());
  const all = Array.from({ length: 8 }, (_, i) => promisify(execFile)('sh', ['-c', `exit ${i}`]).then(() => 0, (error) => error.code));
  console.log(await Promise.all(all));
  for (let i = 0; i < 5; i++) console.log(await new Promise((done) => spawn('true').on('close', (code) => done(code))));
})();
