"""What an official SDK costs for the calls of `clients.rs`: prints JSON, seconds of processor time a call.

    python benches/clients.py VENDOR CALLS
"""

import json
import sys
import time


def e2b():
    from e2b import Sandbox

    sandbox = Sandbox.create()
    sandbox.files.write("/tmp/f", "x" * 1024)
    yield "execute", lambda: sandbox.commands.run("true")
    yield "download", lambda: sandbox.files.read("/tmp/f")
    sandbox.kill()


def daytona():
    from daytona import Daytona

    client = Daytona()
    sandbox = client.create()
    sandbox.fs.upload_file(b"x" * 1024, "/tmp/f")
    yield "execute", lambda: sandbox.process.exec("true")
    yield "download", lambda: sandbox.fs.download_file("/tmp/f")
    client.delete(sandbox)


def runloop():
    from runloop_api_client import RunloopSDK

    devbox = RunloopSDK().devbox.create()
    devbox.file.write(file_path="/tmp/f", contents="x" * 1024)
    yield "execute", lambda: devbox.cmd.exec("true")
    yield "download", lambda: devbox.file.download(path="/tmp/f")
    devbox.shutdown()


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
