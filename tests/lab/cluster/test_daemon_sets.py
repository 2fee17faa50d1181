"""A DaemonSet as it is: its pod runs the program that stands for its image, on a node with a real kubelet."""

import json
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from clusters import FOLDER, needs_cluster
from kubelets import needs_namespaces
from numa_conformance.lab.cluster.answers import PODS
from numa_conformance.lab.cluster.control import bring_up
from numa_conformance.lab.kubelet.process import free_ports
from processes import wait_until

pytestmark = [needs_namespaces, needs_cluster]
PROGRAM = """
import http.server, os, pathlib, signal, ssl, sys, urllib.request
online = pathlib.Path("/host-sys/devices/system/node/online").read_text().strip()
print(os.environ["NODE_NAME"], online, pathlib.Path("/etc/prog/config").read_text().strip(), flush=True)
account = pathlib.Path("/var/run/secrets/kubernetes.io/serviceaccount")
server = "https://{KUBERNETES_SERVICE_HOST}:{KUBERNETES_SERVICE_PORT}/version".format(**os.environ)
token = {"Authorization": "Bearer " + (account / "token").read_text()}
trusted = ssl.create_default_context(cafile=account / "ca.crt")
print(urllib.request.urlopen(urllib.request.Request(server, headers=token), context=trusted).status, flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Handler).serve_forever()
"""
CONTAINER = {
    "name": "c", "image": "registry.example/prog:v1", "command": ["/bin/prog"], "args": ["PORT"],
    "env": [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
    "volumeMounts": [{"name": "sys", "mountPath": "/host-sys"}, {"name": "config", "mountPath": "/etc/prog"}],
    "livenessProbe": {"exec": {"command": ["test", "-f", "/etc/prog/config"]}, "periodSeconds": 1},
}  # fmt: skip
VOLUMES = [{"name": "sys", "hostPath": {"path": "/sys"}}, {"name": "config", "configMap": {"name": "prog"}}]


def objects(port):
    probe = {"httpGet": {"path": "/", "port": port}, "periodSeconds": 1}
    container = {**CONTAINER, "args": [str(port)], "readinessProbe": probe}
    labels = {"app": "prog"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "volumes": VOLUMES}}
    name = {"metadata": {"name": "prog", "namespace": "default"}}
    yield {"apiVersion": "v1", "kind": "ConfigMap", **name, "data": {"config": "a line"}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    yield {"apiVersion": "apps/v1", "kind": "DaemonSet", **name, "spec": spec}


def test_its_pod_runs_the_program_with_all_that_a_pod_has_and_is_ready(tmp_path):
    (free_port,) = free_ports(1)
    (tmp_path / "prog.py").write_text(PROGRAM)
    manifest, nodes = tmp_path / "objects.yaml", tmp_path / "nodes.json"
    manifest.write_text(yaml.safe_dump_all(objects(free_port)))
    images = {"registry.example/prog": [sys.executable, str(tmp_path / "prog.py")]}
    nodes.write_text(json.dumps([{"nodes": "n", "machine": "sparse-ids", "images": images}]))
    with bring_up(nodes, ["--binaries", FOLDER, "--manifest", str(manifest)]) as cluster:
        wait_until(lambda: any(map(is_ready, cluster.ask("api", PODS, "null", "")["items"])))
        (pod,) = cluster.ask("api", PODS, "null", "")["items"]
        folder = cluster.ask("status")["folder"]
        (log,) = Path(folder, "nodes/n/logs").glob("*/*/*.log")
        assert [line.split(" F ")[1] for line in log.read_text().splitlines()[:2]] == ["n 1,5 a line", "200"]
        assert pod["status"]["podIP"] == "127.0.0.1"


def is_ready(pod):
    return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions") or ())
