import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createDeepAgent } from "deepagents";
import { expect, it } from "vitest";
import { SandshellSandbox } from "../lib/deepagents.js";

const STEPS: [string, Record<string, unknown>][] = [
  ["write_file", { file_path: "/workspace/sum.sh", content: "echo $((1 + 1))\n" }],
  ["execute", { command: "sh /workspace/sum.sh; exit 7" }],
  ["edit_file", { file_path: "/workspace/sum.sh", old_string: "1 + 1", new_string: "20 + 22" }],
  ["execute", { command: "sh /workspace/sum.sh" }],
  ["grep", { pattern: "20 + 22", path: "/workspace" }],
  ["glob", { pattern: "*.sh", path: "/workspace" }],
  ["ls", { path: "/workspace" }],
  ["execute", { command: "seq 30000" }],
  ["read_file", { file_path: "/large_tool_results/call-7.txt", offset: 29_000, limit: 1 }],
];

/** A model that calls the next tool of the script each time it is invoked. */
class Scripted extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType() {
    return "scripted";
  }

  override bindTools() {
    return this;
  }

  async _generate(messages: BaseMessage[]) {
    const done = messages.filter((message) => ToolMessage.isInstance(message)).length;
    const step = STEPS[done];
    const message = step
      ? new AIMessage({ content: "", tool_calls: [{ name: step[0], args: step[1], id: `call-${done}` }] })
      : new AIMessage("finished");
    return { generations: [{ text: "", message }] };
  }
}

it("a scripted agent works in the sandbox", async () => {
  const backend = await SandshellSandbox.create();
  const agent = createDeepAgent({ model: new Scripted(), backend });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, { recursionLimit: 100 });
  const text = ({ content }: BaseMessage) => (typeof content === "string" ? content : JSON.stringify(content));
  const said = messages.filter((message) => ToolMessage.isInstance(message)).map(text);
  expect(messages.at(-1)?.content).toBe("finished");
  expect(said.length).toBe(STEPS.length);
  expect(said[1]).toMatch(/^2\n[^]*7/);
  expect(said[3]).toMatch(/^42\n/);
  expect(said[4]).toContain("sum.sh");
  expect(said[5]).toContain("sum.sh");
  expect(said[6]).toContain("/workspace/sum.sh");
  expect(said[7]).toContain("/large_tool_results/call-7");
  expect(said[8]).toContain("29001");
  await backend.close();
});
