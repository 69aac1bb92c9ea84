"""The cost of an official SDK for the calls of `clients.rs`. Prints JSON: seconds of processor time for each call.

    python benches/clients.py VENDOR CALLS
"""

import json
import os
import sys
import time


def agentcore():
    from bedrock_agentcore.tools.code_interpreter_client import code_session

    def result(response):
        (event,) = response["stream"]
        return event["result"]

    with code_session("us-west-2") as session:
        result(session.invoke("writeFiles", {"content": [{"path": "f", "text": "x" * 1024}]}))
        yield "execute", lambda: result(session.execute_command("true"))
        yield "download", lambda: result(session.invoke("readFiles", {"paths": ["f"]}))


def daytona():
    from daytona import Daytona

    client = Daytona()
    sandbox = client.create()
    sandbox.fs.upload_file(b"x" * 1024, "/tmp/f")
    yield "execute", lambda: sandbox.process.exec("true")
    yield "download", lambda: sandbox.fs.download_file("/tmp/f")
    client.delete(sandbox)


def deno():
    from deno_sandbox import DenoDeploy

    with DenoDeploy().sandbox.create() as sandbox:
        sandbox.fs.write_text_file("/tmp/f", "x" * 1024)
        yield "execute", lambda: sandbox.spawn("bash", args=["-c", "true"], stdout="piped", stderr="piped").wait()
        yield "download", lambda: sandbox.fs.read_file("/tmp/f")


def e2b():
    from e2b import Sandbox

    sandbox = Sandbox.create()
    sandbox.files.write("/tmp/f", "x" * 1024)
    yield "execute", lambda: sandbox.commands.run("true")
    yield "download", lambda: sandbox.files.read("/tmp/f")
    sandbox.kill()


def langsmith():
    from langsmith.sandbox import SandboxClient

    with SandboxClient().sandbox() as box:
        box.write("/tmp/f", b"x" * 1024)
        yield "execute", lambda: box.run("true")
        yield "download", lambda: box.read("/tmp/f")


def modal():
    import modal

    sandbox = modal.Sandbox.create(app=modal.App.lookup("bench", create_if_missing=True))
    sandbox.filesystem.write_bytes(b"x" * 1024, "/tmp/f")
    yield "execute", lambda: sandbox.exec("bash", "-c", "true").wait()
    yield "download", lambda: sandbox.filesystem.read_bytes("/tmp/f")
    sandbox.terminate()


def runloop():
    from runloop_api_client import RunloopSDK

    devbox = RunloopSDK().devbox.create()
    devbox.file.write(file_path="/tmp/f", contents="x" * 1024)
    yield "execute", lambda: devbox.cmd.exec("true")
    yield "download", lambda: devbox.file.download(path="/tmp/f")
    devbox.shutdown()


def sandbox0():
    from sandbox0 import Client

    client = Client(token=os.environ["SANDBOX0_TOKEN"], base_url=os.environ["SANDBOX0_BASE_URL"], timeout=30)
    sandbox = client.claim_sandbox("default")
    sandbox.write_file("/tmp/f", b"x" * 1024)
    yield "execute", lambda: sandbox.cmd("true")
    yield "download", lambda: sandbox.read_file("/tmp/f")
    client.delete_sandbox(sandbox.id)


def vercel():
    from vercel.sandbox.sync import SandboxServiceOptions, SyncSandboxClient

    client = SyncSandboxClient.create(options=SandboxServiceOptions(base_url=os.environ["VERCEL_SANDBOX_URL"]))
    with client.create_sandbox(execution_time_limit=300) as box:
        box.fs.write_bytes("/tmp/f", b"x" * 1024)
        yield "execute", lambda: box.run_process("bash", ["-c", "true"], capture_output=True)
        yield "download", lambda: box.fs.read_bytes("/tmp/f")


def main():
    vendor, calls = sys.argv[1], int(sys.argv[2])
    costs = {}
    for name, call in globals()[vendor]():
        call()
        began = time.process_time()
        for _ in range(calls):
            call()
        costs[name] = (time.process_time() - began) / calls
    print(json.dumps(costs))


main()
