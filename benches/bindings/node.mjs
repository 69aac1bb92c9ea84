// Compares the JavaScript package with just-bash, and with deepagents' own file operations over `sh -c`. Prints
// rows as JSON.
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { BaseSandbox } from "deepagents";
import { Bash } from "just-bash";
import { Sandbox } from "sandshell";
import { SandshellSandbox } from "sandshell/deepagents";

const CALLS = 1000;
// Calls of operations that start a process of the host each time.
const SLOW_CALLS = 10;
// The names are those of the Rust bench.
const COMMANDS = {
  "echo hi": "execute `echo hi`, warm",
  "echo hi | cat": "execute `echo hi | cat`, warm",
  "printf 'b\\na\\n' | sort": null,
};

async function median(work, calls) {
  for (let call = 0; call < Math.max(2, calls / 10); call++) await work();
  const times = [];
  for (let call = 0; call < calls; call++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[calls >> 1] / 1000;
}

async function* commands() {
  const created = await median(async () => (await Sandbox.create()).close(), CALLS);
  const other = await median(() => new Bash(), CALLS);
  yield { what: "JavaScript: create a sandbox, just-bash", ours: created, other, rust: "create a sandbox" };
  const box = await Sandbox.create({ packs: [] });
  const bash = new Bash();
  for (const [command, rust] of Object.entries(COMMANDS)) {
    const ours = await median(() => box.execute(command), CALLS);
    const other = await median(() => bash.exec(command), CALLS);
    yield { what: `JavaScript: execute ${JSON.stringify(command)}, just-bash`, ours, other, rust };
  }
  await box.close();
}

/** The longest delay of the event loop while commands in endless loops are started and run until their limits. */
async function* waiting() {
  const box = await Sandbox.create({ packs: [] });
  await box.execute("true");
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }, 1);
  const loops = Array.from({ length: 100 }, () => box.execute("while :; do :; done", { timeout: 1500 }));
  await Promise.all(loops);
  clearInterval(timer);
  await box.close();
  yield { what: "JavaScript: longest wait of the loop, 100 spinning", ours: longest / 1000, other: null };
}

/** deepagents' own operations, with the host's shell. */
class Shell extends BaseSandbox {
  id = "shell";

  execute(command) {
    return new Promise((resolve) => {
      const child = spawn("sh", ["-c", command]);
      const output = [];
      child.stdout.on("data", (data) => output.push(data));
      child.stderr.on("data", (data) => output.push(data));
      child.on("close", (exitCode) => resolve({ output: Buffer.concat(output).toString(), exitCode, truncated: false }));
    });
  }

  async uploadFiles(files) {
    return files.map(([path, content]) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return { path, error: null };
    });
  }

  async downloadFiles(paths) {
    return paths.map((path) => ({ path, content: readFileSync(path), error: null }));
  }
}

async function* files() {
  const root = mkdtempSync(join(tmpdir(), "sandshell-bench-"));
  const tree = [];
  for (let directory = 0; directory < 20; directory++) {
    for (let file = 0; file < 100; file++) {
      tree.push([`${root}/d${directory}/f${file}.txt`, Buffer.from(`one\ntwo\nneedle ${file}\n`.repeat(5))]);
    }
  }
  const [ours, shell] = [await SandshellSandbox.create({ packs: [] }), new Shell()];
  for (const backend of [ours, shell]) await backend.uploadFiles(tree);
  const calls = {
    read: async (backend) => (await backend.read(`${root}/d7/f42.txt`)).error ?? "read",
    ls: async (backend) => (await backend.ls(`${root}/d7`)).files.length,
    grep: async (backend) => (await backend.grep("needle 42", root)).matches.length,
    glob: async (backend) => (await backend.glob("**/f4*.txt", root)).files.length,
  };
  for (const [name, call] of Object.entries(calls)) {
    const answers = [await call(ours), await call(shell)];
    if (answers[0] !== answers[1]) throw new Error(`${name}: ${answers}`);
    yield {
      what: `JavaScript: ${name} of 2,000 files, BaseSandbox`,
      ours: await median(() => call(ours), CALLS / 10),
      other: await median(() => call(shell), SLOW_CALLS),
      times: 50,
    };
  }
  await ours.close();
  rmSync(root, { recursive: true });
}

const rows = [];
for await (const row of commands()) rows.push(row);
for await (const row of files()) rows.push(row);
for await (const row of waiting()) rows.push(row);
console.log(JSON.stringify(rows));
