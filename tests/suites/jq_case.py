"""jq_case.py JQ MODULES CASE: one case of jq's test files: a program, its input, its outputs; or `%%FAIL`, a program
that must not compile, the message."""

import json
import subprocess
import sys


def main():
    jq, modules, case = sys.argv[1:]
    lines = open(case, encoding="utf-8").read().splitlines()
    if lines[0].startswith("%%FAIL"):
        done = run(jq, modules, lines[1], "null")
        message = lines[2] if len(lines) > 2 and "IGNORE" not in lines[0] else ""
        print(done.stderr)
        return 0 if done.returncode == 3 and message in done.stderr else 1
    done = run(jq, modules, lines[0], lines[1])
    wanted, got = lines[2:], done.stdout.splitlines()
    print(f"program {lines[0]}\ninput {lines[1]}\nwanted {wanted}\ngot {got}\n{done.stderr}")
    return 0 if [value(v) for v in wanted] == [value(v) for v in got] else 1


def run(jq, modules, program, text):
    command = [jq, "-c", "-L", modules, program]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=60)


def value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    sys.exit(main())
