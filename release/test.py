"""Tests what `release/build` makes with a program that is there: `python3 release/test.py [PROGRAM]`."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else HERE.parent / "target/debug/sandshell"


def build(to: Path, *parts: str, more: tuple[str, ...] = ()) -> None:
    command = [HERE / "build", "--to", to, "--program", PROGRAM, "--only", ",".join(parts), *more]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Release(unittest.TestCase):
    def setUp(self) -> None:
        self.place = tempfile.TemporaryDirectory()
        self.to = Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def one(self, pattern: str) -> Path:
        (found,) = self.to.glob(pattern)
        return found

    def test_the_archive_has_a_program_that_runs_and_its_pages(self) -> None:
        build(self.to, "tar")
        with tarfile.open(self.one("*.tar.gz")) as archive:
            archive.extractall(self.to / "x", filter="data")
            self.assertEqual({member.mtime for member in archive}, {0})
        (top,) = (self.to / "x").iterdir()
        out = subprocess.run([top / "bin/sandshell", "exec", "echo $((6*7))"], check=True, capture_output=True)
        self.assertEqual(out.stdout, b"42\n")
        pages = {page.name for page in (top / "share/man/man1").iterdir()}
        self.assertLessEqual({"sandshell.1.gz", "sandshell-exec.1.gz", "sandshell-pack.1.gz"}, pages)
        self.assertIn("complete", (top / "share/bash-completion/completions/sandshell").read_text())
        self.assertTrue((top / "share/doc/sandshell/THIRD-PARTY.md").is_file())

    def test_a_second_run_gives_the_same_bytes(self) -> None:
        other = self.to / "other"
        build(self.to, "deb", "image")
        build(other, "deb", "image")
        self.assertEqual((self.to / "SHA256SUMS").read_text(), (other / "SHA256SUMS").read_text())

    def test_debian_takes_the_package(self) -> None:
        build(self.to, "deb")
        package = self.one("*.deb")
        fields = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout
        self.assertIn("Package: sandshell\n", fields)
        subprocess.run(["dpkg-deb", "--extract", package, self.to / "x"], check=True)
        self.assertTrue((self.to / "x/usr/bin/sandshell").stat().st_mode & 0o111)
        sums = subprocess.run(["dpkg-deb", "--ctrl-tarfile", package], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(sums)) as control:
            listed = control.extractfile("./md5sums").read().decode()
        check = subprocess.run(["md5sum", "--quiet", "-c"], input=listed, text=True, cwd=self.to / "x")
        self.assertEqual(check.returncode, 0)

    def test_every_blob_of_the_image_has_its_digest_and_the_program_finds_its_libraries(self) -> None:
        build(self.to, "image")
        root = self.to / "root"
        with tarfile.open(self.one("*.oci.tar")) as archive:
            read = lambda name: archive.extractfile(name).read()
            blob = lambda one: read(f"blobs/sha256/{one['digest'].removeprefix('sha256:')}")
            (index,) = json.loads(read("index.json"))["manifests"]
            manifest = json.loads(blob(index))
            config = json.loads(blob(manifest["config"]))
            for described in [index, manifest["config"], *manifest["layers"]]:
                contents = blob(described)
                self.assertEqual(described["digest"], "sha256:" + hashlib.sha256(contents).hexdigest())
                self.assertEqual(described["size"], len(contents))
            for layer, plain in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
                with tarfile.open(fileobj=io.BytesIO(blob(layer)), mode="r:gz") as contents:
                    contents.extractall(root, filter="data")
                self.assertTrue(plain.startswith("sha256:"))
        self.assertEqual(config["config"]["Cmd"][0], "serve")
        # Only a user who may change the root directory can run it there.
        run = ["chroot", "--userspec=1000:1000", root, "/usr/bin/sandshell", "--version"]
        done = subprocess.run(run, capture_output=True, text=True)
        if "cannot change root directory" in done.stderr:
            self.skipTest("chroot needs more rights")
        self.assertEqual(done.stdout.split()[0], "sandshell", done.stderr)

    def test_the_list_of_components_names_what_is_linked(self) -> None:
        build(self.to, "sbom")
        bill = json.loads(self.one("*.cdx.json").read_text())
        names = {component["name"] for component in bill["components"]}
        self.assertLessEqual({"wasmtime", "sandshell-vfs", "sandshell-coreutils", "reqwest"}, names)
        # Neither what only tests need nor what only Windows needs.
        self.assertFalse({"proptest", "libtest-mimic", "crossterm"} & names)
        known = {component["bom-ref"] for component in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
        for entry in bill["dependencies"]:
            self.assertLessEqual({entry["ref"], *entry["dependsOn"]}, known)

    def test_a_pack_is_a_package_for_pip_and_for_npm(self) -> None:
        pack = self.to / "hello"
        (pack / "share/deep").mkdir(parents=True)
        (pack / "share/deep/data").write_text("data")
        (pack / "licences").mkdir()
        (pack / "licences/greeter.txt").write_text("GPL")
        (pack / "hello.wasm").write_bytes(b"\0asm")
        (pack / "pack.toml").write_text(PACK)
        build(self.to / "made", "packs", more=("--packs", "hello", "--pack", f"hello={pack}"))
        (wheel,) = (self.to / "made").glob("*.whl")
        site = self.to / "site"
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--no-index"]
        subprocess.run([*pip, "--root-user-action=ignore", "--target", site, wheel], check=True)
        (tarball,) = (self.to / "made").glob("*.tgz")
        npm = ["npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", "--legacy-peer-deps", tarball]
        subprocess.run(npm, cwd=self.to, check=True, stdout=subprocess.DEVNULL)
        module = self.to / "node_modules/sandshell-pack-hello"
        for place in [site / "sandshell/_packs/hello", module / "packs/hello"]:
            for name in ["pack.toml", "hello.wasm", "share/deep/data", "licences/greeter.txt"]:
                self.assertEqual((place / name).read_bytes(), (pack / name).read_bytes(), place / name)
        told = [module / "README.md", *site.glob("sandshell_pack_hello-*.dist-info/METADATA")]
        self.assertEqual(len(told), 2)
        for about in told:
            self.assertIn("* greeter, 2.1, GPL-2.0-only, https://example.org/greeter\n", about.read_text())


PACK = """
name = "hello"
version = "1.0"
summary = "Greets"
commands = ["hello"]

[program]
file = "hello.wasm"

[[component]]
name = "greeter"
version = "2.1"
licence = "GPL-2.0-only"
source = "https://example.org/greeter"
"""


if __name__ == "__main__":
    unittest.main()
