/** Providers by name: the clouds against `sandshell serve`, a command, recordings. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Provider, Sandbox, providers, record, replay, type SandboxOptions } from "../lib/index.js";

// The features of the crate that has their clients.
const features = readFileSync(new URL("../../../providers/Cargo.toml", import.meta.url), "utf8");
const list = /^all-providers = \[(.*?)\]/ms.exec(features)?.[1] ?? "";
const CLOUDS = [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
const place = mkdtempSync(join(tmpdir(), "sandshell-test-"));
let server: ChildProcess;

beforeAll(async () => {
  const file = join(place, "variables");
  const program = process.env["SANDSHELL"] ?? "sandshell";
  server = spawn(program, ["serve", "--emulate", CLOUDS.join(","), "--port=0", "--no-packs", "--env-file", file], {
    stdio: "ignore",
  });
  while (!(existsSync(file) && readFileSync(file, "utf8").endsWith("\n"))) await setTimeout(50);
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const [name = "", value = ""] = line.split(/=(.*)/);
    process.env[name] = value.replace(/^'|'$/g, "");
  }
  process.env["SANDSHELL_CONFIG"] = join(place, "config.toml");
}, 60_000);

afterAll(() => void server.kill());

it("all are known", async () => {
  const known = await providers();
  expect(known.map(({ name }) => name).sort()).toEqual([...CLOUDS, "local"].sort());
  expect(known.filter(({ missing }) => missing !== null)).toEqual([]);
});

it.each(CLOUDS)("%s", async (provider) => {
  const box = await Sandbox.create({ provider, timeout: 20_000, files: { "dir/names.txt": "b\na\n" } });
  expect((await box.execute("sort dir/names.txt")).stdout).toBe("a\nb\n");
  expect(await box.edit("dir/names.txt", "a\n", "c\n")).toBe(1);
  expect((await box.read("dir/names.txt")).text).toBe("b\nc");
  expect((await box.grep("c")).matches.map(({ line }) => line)).toEqual([2]);
  await expect(box.read("nothing")).rejects.toMatchObject({ reason: "file_not_found" });
  await expect(box.diff()).rejects.toMatchObject({ kind: "unsupported" });
  const { capabilities } = await Provider.named(provider);
  if (capabilities.includes("reattach")) {
    const again = await Sandbox.create({ provider, id: box.id });
    await again.close();
    expect((await again.read("dir/names.txt")).text).toBe("b\nc");
  }
  await box.close();
});

it("may be kept, listed and deleted", async () => {
  const provider = await Provider.named("e2b");
  const box = await provider.create({ labels: { team: "green" } });
  box.keep();
  await box.close();
  const listed = async () => {
    const ids: string[] = [];
    for await (const { id } of provider.list({ team: "green" })) ids.push(id);
    return ids;
  };
  expect(await listed()).toEqual([box.id]);
  await provider.delete(box.id);
  expect(await listed()).toEqual([]);
});

it("the guide's example", () => {
  const guide = readFileSync(new URL("../../../docs/javascript.md", import.meta.url), "utf8");
  const [code] = [...guide.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1] ?? "").filter((code) => code.includes('"e2b"'));
  const root = new URL("..", import.meta.url);
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", code ?? ""], { cwd: root, encoding: "utf8" });
  expect(said).toMatch(/^a\nb\n[^]*e2b can be used/);
});

it("a command is one", async () => {
  const program = fileURLToPath(new URL("../../../examples/command-provider/provider.py", import.meta.url));
  const { RUNLOOP_BASE_URL: url = "", RUNLOOP_API_KEY: key = "" } = process.env;
  const box = await Sandbox.create({ provider: "command", params: { command: ["python3", program], url, key } });
  expect((await box.execute("echo hi")).stdout).toBe("hi\n");
  await box.close();
});

describe("options that cannot be", () => {
  it.each<SandboxOptions>([
    { provider: "no-such-provider" },
    { provider: "e2b", params: { no_such_param: 1 } },
    { provider: "e2b", seed: 1 },
    { provider: "e2b", cpus: Number.NaN },
    { provider: "e2b", ttl: -1 },
    { params: { a: "b" } },
    { cpus: 2 },
    { labels: { a: "b" }, params: { a: "b" } },
  ])("%o", async (options) => {
    await expect(Sandbox.create(options)).rejects.toMatchObject({ kind: "invalid_request" });
  });
});

it.each(["local", "vercel"])("recordings of %s", async (name) => {
  const cassette = join(place, `${name}.jsonl`);
  const work = async (provider: Provider) => {
    const box = await provider.create({ files: { names: "b\na\n" } });
    const { stdout } = await box.execute("sort names; echo $TOKEN", { env: { TOKEN: "s3cr3t" } });
    const { text } = await box.read("names");
    await box.close();
    return [stdout, text];
  };
  expect(await work(await record(name, cassette, { secrets: ["s3cr3t"] }))).toEqual(["a\nb\ns3cr3t\n", "b\na"]);
  expect(readFileSync(cassette, "utf8")).not.toContain("s3cr3t");
  const options = { inOrder: true, secrets: ["s3cr3t"] };
  expect(await work(replay(cassette, options))).toEqual(["a\nb\n[REDACTED]\n", "b\na"]);
  const box = await replay(cassette).create();
  await expect(box.execute("rm -rf /")).rejects.toMatchObject({ kind: "invalid_request" });
});
