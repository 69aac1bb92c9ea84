// What a module does not export, and columns of tables that values lack.
import fs from 'node:fs';
fs.writeFileSync('/tmp/has-a.mjs', 'export const a = 1;');
for (const text of ["import { nope } from 'fs'", "import { b } from './has-a.mjs'", "export { c } from './has-a.mjs'", "import d from './has-a.mjs'"]) {
  fs.writeFileSync('/tmp/asks.mjs', text);
  await import(`/tmp/asks.mjs?${encodeURIComponent(text)}`).catch((error) => console.log(`${error.name}: ${error.message}`));
}
fs.rmSync('/tmp/has-a.mjs');
fs.rmSync('/tmp/asks.mjs');
console.table([1, 'b', { x: 5, y: 6 }], ['x']);
console.table([1, { x: 5 }]);
