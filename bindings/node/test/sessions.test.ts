/** Shells that live. */

import { expect, it } from "vitest";
import { Sandbox } from "../lib/index.js";

it("a shell keeps what it has", async () => {
  const box = await Sandbox.create();
  const session = box.session("main");
  await session.execute("x=1; cd /tmp; f() { echo $x in $PWD; }");
  expect((await session.execute("f")).result.stdout).toBe("1 in /tmp\n");
  const answer = await session.execute("cat; echo oops >&2; (exit 3)", { stdin: "given\n" });
  expect([answer.result.stdout, answer.result.stderr, answer.result.exitCode]).toEqual(["given\n", "oops\n", 3]);
  expect([answer.background, answer.restarted, answer.ended]).toEqual(["", null, false]);
  expect((await session.execute("exit 7")).ended).toBe(true);
  const { result } = await session.execute("echo $$");
  await box.execute(`kill -9 ${result.stdout}`);
  expect((await session.execute("true")).restarted).toContain("killed by signal 9");
  await session.execute("(sleep 0.1; echo later) & true");
  await box.execute("sleep 0.5");
  expect(await session.output()).toBe("later\n");
  const late = await session.execute("sleep 100", { timeout: 200 });
  expect([late.result.timedOut, late.ended]).toEqual([true, false]);
  await expect(session.execute("sleep 100", { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ name: "TimeoutError" });
  await expect(session.execute("true", { cwd: "/tmp" } as object)).rejects.toThrow(/cwd/);
  expect(await box.sessions()).toEqual(["main"]);
  await session.close();
  expect(await box.sessions()).toEqual([]);
  expect((await session.execute("echo [$x]")).result.stdout).toBe("[]\n");
  await expect(box.session("").execute("true")).rejects.toMatchObject({ kind: "invalid_request" });
  await box.close();
});

it("a shell has a screen", async () => {
  const box = await Sandbox.create();
  const terminal = box.terminal("main", { rows: 10, columns: 40 });
  await terminal.type("PS1='> '; clear() { printf '\\e[H\\e[2J'; }\r");
  const screen = await terminal.type("clear; stty size; read -p 'name? ' n\r");
  expect([screen.text, screen.rows, screen.cursor, screen.settled]).toEqual(["10 40\nname?", 10, { row: 1, column: 6 }, true]);
  await terminal.type("me\r");
  await terminal.resize(5, 20);
  expect((await terminal.type("echo got $n $LINES\r")).text).toContain("got me 5");
  expect((await terminal.type("", { wait: 100, until: "never" })).settled).toBe(false);
  expect((await terminal.screen()).columns).toBe(20);
  expect((await terminal.type("exit 3\r", { until: "never" })).ended).toBe(3);
  await terminal.close();
  await expect(box.terminal("x", { rows: 0 }).screen()).rejects.toMatchObject({ kind: "invalid_request" });
  await expect(box.terminal("x", { columns: 100000 }).screen()).rejects.toMatchObject({ kind: "invalid_request" });
  await box.close();
});
