#!/usr/bin/env python3
"""Evaluates 1,000 answers of an agent, each in a sandbox of its own, over a Ray cluster.

    pip install ray sandshell
    python evaluate.py                      # three nodes on this machine, one of which is killed on the way
    python evaluate.py --address auto       # on a cluster that runs already

Each answer is a shell script that is to count something in a log. A worker prepares one sandbox and makes a snapshot of it;
each script then runs in a fork, so that no script sees what another one did. What is wrong, hangs or breaks is the
answer's fault and is counted. What a lost node had not yet given back, Ray runs again on another one.
"""

import argparse
import collections
import random
import time

import ray
import sandshell

#: How many scripts are one piece of work for Ray: some hundred milliseconds.
PIECE = 20

#: Seconds that a script may take.
PATIENCE = 1


def log(seed: int = 7, lines: int = 2_000) -> str:
    """The log that every sandbox has."""
    chosen = random.Random(seed)
    statuses = [200, 200, 200, 301, 404, 500]
    return "".join(
        f"10.0.0.{chosen.randrange(256)} /page/{chosen.randrange(50)} {chosen.choice(statuses)} {chosen.randrange(9_000)}\n"
        for _ in range(lines)
    )


def answers(count: int) -> list[tuple[str, str, str]]:
    """What an agent answered: a script, what it should print, and how it is meant to be judged."""
    lines = [line.split() for line in log().splitlines()]
    work = []
    for number in range(count):
        page = f"/page/{number % 50}"
        right = sum(1 for _, path, status, _ in lines if path == page and status == "404")
        if number % 250 == 0:
            work.append(("while :; do :; done", str(right), "late"))
        elif number % 10 == 3:
            work.append((f"grep -c '{page}' access.log", str(right), "wrong"))
        elif number % 2:
            work.append((f"awk '$2 == \"{page}\" && $3 == 404' access.log | wc -l", str(right), "right"))
        else:
            # It harms its sandbox, which is no other script's.
            work.append((f"grep ' {page} 404 ' access.log > found; rm access.log; wc -l < found", str(right), "right"))
    return work


#: What this worker has prepared.
snapshots: list[sandshell.Snapshot] = []


def prepared() -> sandshell.Snapshot:
    """The snapshot that all scripts of this worker start from, made for the first one."""
    if not snapshots:
        with sandshell.Sandbox(files={"access.log": log()}) as sandbox:
            done = sandbox.execute("sort -o access.log access.log && chmod a-w access.log")
            assert done.exit_code == 0, done.output
            snapshots.append(sandbox.snapshot())
    return snapshots[0]


@ray.remote(max_retries=5)
def judge(piece: list[tuple[int, str, str]]) -> tuple[str, list[tuple[int, str]]]:
    """The node that worked, and how it judges each script."""
    judged = []
    for number, script, right in piece:
        with sandshell.Sandbox.from_snapshot(prepared()) as sandbox:
            result = sandbox.execute(script, timeout=PATIENCE)
        if result.timed_out:
            verdict = "late"
        else:
            verdict = "right" if result.exit_code == 0 and result.stdout.strip() == right else "wrong"
        judged.append((number, verdict))
    return ray.get_runtime_context().get_node_id(), judged


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--answers", type=int, default=1_000, help="default: 1000")
    options.add_argument("--address", help="of a cluster that runs already; without, one is made on this machine")
    options.add_argument("--nodes", type=int, default=3, help="of the cluster that is made; the last one is killed on the way")
    options.add_argument("--cores", type=int, default=1, help="of each of these nodes")
    given = options.parse_args()

    cluster, victim = None, None
    if given.address:
        ray.init(address=given.address)
    else:
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": given.cores, "include_dashboard": False})
        for _ in range(given.nodes - 1):
            victim = cluster.add_node(num_cpus=given.cores)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
    cores = int(ray.cluster_resources()["CPU"])
    # Workers start, and each prepares its snapshot: that is no part of the measurement.
    ray.get([judge.remote([(0, "true", "")]) for _ in range(4 * cores)])

    work = answers(given.answers)
    scripts = [(number, script, right) for number, (script, right, _) in enumerate(work)]
    begun = time.monotonic()
    waiting = [judge.remote(scripts[at : at + PIECE]) for at in range(0, len(scripts), PIECE)]
    verdicts: dict[int, str] = {}
    of_node: collections.Counter[str] = collections.Counter()
    while waiting:
        done, waiting = ray.wait(waiting)
        for node, judged in ray.get(done):
            of_node[node] += len(judged)
            verdicts.update(judged)
        if victim and len(verdicts) >= given.answers // 3:
            print(f"killing a node after {len(verdicts)} of {given.answers} verdicts", flush=True)
            cluster.remove_node(victim, allow_graceful=False)
            lost, victim = victim.node_id, None
    seconds = time.monotonic() - begun

    for node, count in of_node.most_common():
        killed = " (killed)" if cluster and node == lost else ""
        print(f"node {node[:8]}{killed}: {count} verdicts")
    counts = collections.Counter(verdicts.values())
    print(", ".join(f"{counts[verdict]} {verdict}" for verdict in ("right", "wrong", "late")))
    # An endless script costs its whole patience of a core, which says nothing about sandboxes.
    late = counts["late"] * PATIENCE
    rate = given.answers / seconds
    busy = (given.answers - counts["late"]) / max(seconds - late / cores, 0.001)
    print(f"{seconds:.1f} s on {cores} cores: {rate:.0f} sandboxes a second; without the late ones {busy / cores:.0f} a second and core")
    unlike = [number for number, (_, _, meant) in enumerate(work) if verdicts.get(number) != meant]
    if unlike:
        raise SystemExit(f"{len(unlike)} verdicts are missing or wrong, the first of answer {unlike[0]}")
    ray.shutdown()
    if cluster:
        cluster.shutdown()


if __name__ == "__main__":
    main()
