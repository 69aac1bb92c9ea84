"""Runs the guide's example exactly as it is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def test_the_example(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "mcp.md").read_text(), re.DOTALL)
    program = Path(os.environ["SANDSHELL"])
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "42\n\n"
