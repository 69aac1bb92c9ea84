import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The output of a program. Its `run` starts a worker that uses sandboxes; its `use` uses them in the main thread. */
function program(main: string): string {
  const use = `
    const { Sandbox } = await import("sandshell");
    const use = async (leave) => {
      const box = await Sandbox.create({ packs: [] });
      const outputs = [];
      for (const command of ["echo a | tr a-z A-Z", "sleep 0.02; echo b", "echo c"]) {
        outputs.push((await box.execute(command)).output.trim());
      }
      if (!leave) await box.close();
      return outputs.join("");
    };
  `;
  const code = `
    import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
    const run = (data = {}) => new Promise((resolve, reject) => {
      const source = \`data:text/javascript,\${encodeURIComponent(CODE)}\`;
      const worker = new Worker(new URL(source), { workerData: data });
      let answer;
      worker.on("message", (message) => { answer = message; });
      worker.on("error", reject);
      worker.on("exit", (code) => resolve(answer ?? code));
    });
    const CODE = ${JSON.stringify(`
      import { parentPort, workerData } from "node:worker_threads";
      import { createRequire } from "node:module";
      const { Sandbox } = createRequire(${JSON.stringify(join(root, "package.json"))})("sandshell");
      ${use.replace('const { Sandbox } = await import("sandshell");', "")}
      if (workerData.exit) {
        const box = await Sandbox.create({ packs: [] });
        void box.execute("sleep 100");
        process.exit(3);
      }
      parentPort.postMessage(await use(workerData.leave));
    `)};
    ${main.includes("use(") ? use : ""}
    ${main}
  `;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8", timeout: 60_000 });
}

it("is used by one worker after the other", () => {
  expect(program("for (let i = 0; i < 4; i++) console.log(await run({ leave: i % 2 === 0 }));")).toBe("Abc\n".repeat(4));
}, 60_000);

it("is used by workers at the same time and by the main thread", () => {
  const code = `
    console.log(await use());
    console.log((await Promise.all([run(), run(), run()])).join());
    console.log(await run({ exit: true }));
    console.log(await use(), await run());
  `;
  expect(program(code)).toBe("Abc\nAbc,Abc,Abc\n3\nAbc Abc\n");
}, 60_000);
