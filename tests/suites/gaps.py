"""The lists of what fails: lines `TEST: REASON`, `#` begins a remark."""


def compare(path, results, logs, rewrite):
    """Compares results with the list; whether they agree."""
    listed = read(path)
    failed = sorted(name for name, result in results.items() if result == "fail")
    if rewrite:
        remarks = [line for line in lines(path) if line.startswith("#")]
        kept = [f"{name}: {listed.get(name, 'not looked at yet')}" for name in failed]
        path.write_text("".join(f"{line}\n" for line in remarks + kept))
        return True
    new = [name for name in failed if name not in listed]
    closed = sorted(name for name in listed if results.get(name) == "pass")
    for name in new:
        print(f"  fails: {name} ({logs}/{name.replace('/', '-')}.log)")
    for name in closed:
        print(f"  passes, but is listed in {path.name}: {name}")
    return not new and not closed


def read(path):
    """The names and their reasons."""
    pairs = (line.split(": ", 1) for line in lines(path) if line and not line.startswith("#"))
    return {pair[0]: pair[1] if len(pair) > 1 else "" for pair in pairs}


def lines(path):
    return path.read_text().splitlines() if path.exists() else []
