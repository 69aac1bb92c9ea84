"""Servers of object stores on loopback, from the registries: `moto` for S3, `azurite` for Azure."""

import base64
import contextlib
import datetime
import hashlib
import hmac
import socket
import subprocess
import time
import urllib.request
import venv

MOTO = "moto[s3,server]==5.2.5"
AZURITE = "azurite@3.35.0"


class Store:
    """A server, for as long as the context lasts. It is installed below `tools` at first."""

    def __init__(self, tools, work):
        self.tools, self.work = tools, work

    def __enter__(self):
        if not self.program().exists():
            self.install()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                break
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def sent(self, method, url, body, headers):
        with urllib.request.urlopen(urllib.request.Request(url, data=body, method=method, headers=headers)) as answer:
            return answer.read()


class S3(Store):
    scheme = "s3"

    def program(self):
        return self.tools / "bin" / "moto_server"

    def install(self):
        venv.create(self.tools, with_pip=True)
        subprocess.run([self.tools / "bin" / "pip", "install", "--quiet", MOTO], check=True)

    def command(self):
        return [self.program(), "-H", "127.0.0.1", "-p", str(self.port)]

    def variables(self, url):
        return {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}

    def make_bucket(self):
        self.request("PUT", "")

    def request(self, method, at, body=None):
        # The server wants a signature, and does not look at it.
        scope = "Credential=key/20260101/us-east-1/s3/aws4_request"
        headers = {"Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
                   "Content-Type": "binary/octet-stream"}
        return self.sent(method, f"{self.url}/bucket/{at}".rstrip("/"), body, headers)


class Azure(Store):
    scheme = "az"
    # The account that the emulators of Azure's storage have, and its key.
    account = "devstoreaccount1"
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def program(self):
        return self.tools / "node_modules" / ".bin" / "azurite-blob"

    def install(self):
        self.tools.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", self.tools, AZURITE], check=True)

    def command(self):
        place = self.work / "azurite"
        return [self.program(), "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", place,
                "--blobPort", str(self.port)]

    def variables(self, url):
        return {"AZURE_STORAGE_ACCOUNT_NAME": self.account, "AZURE_STORAGE_ACCOUNT_KEY": self.key,
                "AZURE_STORAGE_ENDPOINT": f"{url}/{self.account}"}

    def make_bucket(self):
        self.request("PUT", "", query="restype=container")

    def request(self, method, at, body=None, query=""):
        """A request that is signed with the account's key."""
        path = f"/{self.account}/bucket/{at}".rstrip("/")
        headers = {"x-ms-date": datetime.datetime.now(datetime.UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"),
                   "x-ms-version": "2021-12-02"}
        kind = ""
        if body is not None:
            headers["x-ms-blob-type"] = "BlockBlob"
            kind = headers["Content-Type"] = "application/octet-stream"
        length = str(len(body)) if body else ""
        lines = [method, "", "", length, "", kind, "", "", "", "", "", ""]
        lines += [f"{name}:{headers[name]}" for name in sorted(headers) if name.startswith("x-ms-")]
        lines += [f"/{self.account}{path}", *(part.replace("=", ":") for part in query.split("&") if part)]
        digest = hmac.new(base64.b64decode(self.key), "\n".join(lines).encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {self.account}:{base64.b64encode(digest).decode()}"
        return self.sent(method, f"{self.url}{path}{'?' if query else ''}{query}", body, headers)


STORES = {"s3": S3, "azure": Azure}
