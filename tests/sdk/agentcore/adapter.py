"""LangChain's adapter of Amazon Bedrock AgentCore."""

from adapters import ABSOLUTE, Suite, main
from bedrock_agentcore.tools.code_interpreter_client import CodeInterpreter
from langchain_agentcore_codeinterpreter import AgentCoreSandbox


class TestAdapter(Suite):
    def make(self):
        interpreter = CodeInterpreter("us-west-2")
        interpreter.start()
        yield AgentCoreSandbox(interpreter=interpreter)
        interpreter.stop()


EXCEPTIONS = ABSOLUTE | dict.fromkeys(
    ["test_download_error_invalid_path_relative", "test_upload_relative_path_returns_invalid_path"],
    "the adapter takes relative paths",
)

if __name__ == "__main__":
    main(__file__)
