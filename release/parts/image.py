"""A container image, by the OCI image specification, made without a daemon."""

import hashlib
import json

from . import elf
from .archive import Entry, compressed, tar
from .program import Program

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PORT = 4280


def image(program: Program) -> tuple[str, bytes]:
    """The image's name and contents: a layer with the system's libraries, if the program needs some, and one with the
    program."""
    system = [Entry(str(path)[1:], path.read_bytes(), 0o755) for path in elf.libraries(program.path)]
    system += [
        Entry("etc/passwd", b"sandshell:x:1000:1000::/home/sandshell:/\n"),
        Entry("etc/group", b"sandshell:x:1000:\n"),
        Entry("tmp", None, 0o1777),
    ]
    layers = [tar(system), tar([Entry("usr/bin/sandshell", program.path.read_bytes(), 0o755)])]
    packed = [compressed(layer) for layer in layers]
    config = {
        "architecture": ARCHITECTURES[program.target.split("-")[0]],
        "os": "linux",
        "config": {
            "User": "1000:1000",
            "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            "Entrypoint": ["/usr/bin/sandshell"],
            "Cmd": ["serve", "--host", "0.0.0.0", "--public", "--port", str(PORT)],
            "ExposedPorts": {f"{PORT}/tcp": {}},
            "Labels": {"org.opencontainers.image.version": program.version},
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]},
    }
    blobs = [encoded(config), *packed]
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("application/vnd.oci.image.config.v1+json", blobs[0]),
        "layers": [described("application/vnd.oci.image.layer.v1.tar+gzip", layer) for layer in packed],
    }
    blobs.append(encoded(manifest))
    reference = described("application/vnd.oci.image.manifest.v1+json", blobs[-1])
    reference["annotations"] = {"org.opencontainers.image.ref.name": program.version}
    files = [
        Entry("oci-layout", encoded({"imageLayoutVersion": "1.0.0"})),
        Entry("index.json", encoded({"schemaVersion": 2, "manifests": [reference]})),
    ]
    files += [Entry(f"blobs/sha256/{digest(blob).split(':')[1]}", blob) for blob in blobs]
    return f"sandshell-{program.version}-{program.target}.oci.tar", tar(files)


def digest(blob: bytes) -> str:
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


def described(kind: str, blob: bytes) -> dict:
    return {"mediaType": kind, "digest": digest(blob), "size": len(blob)}


def encoded(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
