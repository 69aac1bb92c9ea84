#!/usr/bin/env python3
"""Compares the manifests with Kubernetes' own schemas, and with each other. Needs kubernetes-validate and PyYAML."""

import pathlib
import sys

import kubernetes_validate
import yaml

BASE = pathlib.Path(__file__).parent / "base"
CUSTOM = pathlib.Path(__file__).parent / "agent-sandbox"
# What the resource `Sandbox` of agents.x-k8s.io/v1beta1 has beside the pod and the claims.
SANDBOX = {"podTemplate", "volumeClaimTemplates", "service", "operatingMode", "shutdownTime", "shutdownPolicy"}


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
    documents += custom()
    print(f"manifests: {len(documents)} passed, 0 failed")


def custom():
    """The custom resource: its parts are Kubernetes' own."""
    documents = [yaml.safe_load(path.read_text()) for path in sorted(CUSTOM.glob("*.yaml"))]
    for document in documents:
        assert (document["apiVersion"], document["kind"]) == ("agents.x-k8s.io/v1beta1", "Sandbox"), document
        spec = document["spec"]
        assert set(spec) <= SANDBOX, set(spec) - SANDBOX
        assert spec.get("operatingMode", "Running") in ("Running", "Suspended") and isinstance(spec["service"], bool)
        pod = {"apiVersion": "v1", "kind": "Pod", **spec["podTemplate"]}
        pod["metadata"] = {"name": "pod", **pod["metadata"]}
        kubernetes_validate.validate(pod, "1.31", strict=True)
        claims = [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim} for claim in spec["volumeClaimTemplates"]]
        for claim in claims:
            kubernetes_validate.validate(claim, "1.31", strict=True)
        [container] = pod["spec"]["containers"]
        places = {volume["name"] for volume in pod["spec"]["volumes"]} | {claim["metadata"]["name"] for claim in claims}
        assert {mount["name"] for mount in container["volumeMounts"]} == places, places
    return documents


if __name__ == "__main__":
    sys.exit(main())
