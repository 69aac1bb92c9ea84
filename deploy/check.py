#!/usr/bin/env python3
"""Compares the manifests with Kubernetes' own schemas, and with each other. Needs kubernetes-validate and PyYAML."""

import pathlib
import sys

import kubernetes_validate
import yaml

BASE = pathlib.Path(__file__).parent / "base"


def main():
    kustomization = yaml.safe_load((BASE / "kustomization.yaml").read_text())
    files = {path.name for path in BASE.glob("*.yaml")} - {"kustomization.yaml"}
    assert files == set(kustomization["resources"]), files
    documents = [document for name in sorted(files) for document in yaml.safe_load_all((BASE / name).read_text())]
    # As kustomize does.
    labels = kustomization["labels"][0]["pairs"]
    for document in documents:
        document["metadata"]["labels"] = labels
        spec = document.get("spec", {})
        if document["kind"] == "Deployment":
            spec["selector"] = {"matchLabels": labels}
            spec["template"]["metadata"] = {"labels": labels}
        if document["kind"] == "Service":
            spec["selector"] = labels
        if document["kind"] == "NetworkPolicy":
            spec["podSelector"] = {"matchLabels": labels}
        kubernetes_validate.validate(document, "1.31", strict=True)
    [container] = next(d for d in documents if d["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"]
    ports = {port["name"] for port in container["ports"]}
    for document in documents:
        for port in document["spec"].get("ports", []) if document["kind"] == "Service" else []:
            assert port["targetPort"] in ports, port
    print(f"manifests: {len(documents)} passed, 0 failed")


if __name__ == "__main__":
    sys.exit(main())
