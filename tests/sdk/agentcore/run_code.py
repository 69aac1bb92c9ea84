"""Code in AgentCore's code interpreter, with its official Python SDKs."""

from bedrock_agentcore.tools.code_interpreter_client import code_session
from botocore.exceptions import ClientError
from checks import check, main, raises

REGION = "us-west-2"


def result(response):
    (event,) = response["stream"]
    return event["result"]


@check
def the_quickstart():
    with code_session(REGION) as interpreter:
        for event in interpreter.invoke("executeCode", {"language": "python", "code": 'print("Hello World!!!")'})["stream"]:
            assert event["result"]["structuredContent"]["stdout"] == "Hello World!!!\n", event


@check
def state_is_kept_until_it_is_cleared():
    with code_session(REGION) as interpreter:
        assert not result(interpreter.execute_code("x = 20"))["isError"]
        answer = result(interpreter.execute_code("print('shown'); x * 2"))
        assert answer["structuredContent"]["stdout"] == "shown\n40\n", answer
        assert answer["structuredContent"]["exitCode"] == 0, answer
        interpreter.clear_context()
        answer = result(interpreter.execute_code("x"))
        assert answer["isError"] and "NameError" in answer["structuredContent"]["stderr"], answer
        assert not result(interpreter.execute_code("y = 1"))["isError"]
        assert result(interpreter.execute_code("y", clear_context=True))["isError"]


@check
def files_are_those_of_commands():
    with code_session(REGION) as interpreter:
        interpreter.upload_file("data.csv", "a,b\n1,2\n")
        answer = result(interpreter.execute_code("print(open('data.csv').read(), end='')"))
        assert answer["structuredContent"]["stdout"] == "a,b\n1,2\n", answer
        result(interpreter.execute_code("open('out', 'w').write('made')"))
        assert interpreter.download_file("out") == "made"


@check
def other_languages_are_refused():
    with code_session(REGION) as interpreter:
        refused = raises(ClientError, lambda: interpreter.execute_code("1", language="javascript"))
        assert "not emulated by sandshell" in str(refused), refused


main()
