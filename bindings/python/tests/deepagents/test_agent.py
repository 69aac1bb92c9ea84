"""A complete agent with a model that follows a script."""

from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from sandshell.deepagents import SandshellSandbox

STEPS = [
    ("write_file", {"file_path": "/workspace/sum.sh", "content": "echo $((1 + 1))\n"}),
    ("execute", {"command": "sh /workspace/sum.sh; exit 7"}),
    ("edit_file", {"file_path": "/workspace/sum.sh", "old_string": "1 + 1", "new_string": "20 + 22"}),
    ("execute", {"command": "sh /workspace/sum.sh"}),
    ("grep", {"pattern": "20 + 22", "path": "/workspace", "output_mode": "content"}),
    ("glob", {"pattern": "*.sh", "path": "/workspace"}),
    ("ls", {"path": "/workspace"}),
    ("execute", {"command": "seq 30000"}),
    ("read_file", {"file_path": "/large_tool_results/call-7", "offset": 29_000, "limit": 1}),
]


class Scripted(BaseChatModel):
    """Calls the next tool of the script each time it is invoked."""

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        done = sum(isinstance(message, ToolMessage) for message in messages)
        if done < len(STEPS):
            name, arguments = STEPS[done]
            message = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{done}"}])
        else:
            message = AIMessage("finished")
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_a_scripted_agent_works_in_the_sandbox():
    with SandshellSandbox() as backend:
        agent = create_deep_agent(model=Scripted(), backend=backend)
        messages = agent.invoke({"messages": [HumanMessage("go")]}, {"recursion_limit": 100})["messages"]
        said = [message.content for message in messages if isinstance(message, ToolMessage)]
        assert messages[-1].content == "finished"
        assert len(said) == len(STEPS)
        assert said[1].startswith("2\n") and "exit code 7" in said[1]
        assert said[3].startswith("42\n") and "exit code 0" in said[3]
        assert "sum.sh" in said[4] and "20 + 22" in said[4]
        assert "sum.sh" in said[5] and "/workspace/sum.sh" in said[6]
        assert "/large_tool_results/call-7" in said[7] and len(said[7]) < 20_000
        assert "29001" in said[8]
        assert backend.read("/workspace/sum.sh").file_data["content"] == "echo $((20 + 22))"
