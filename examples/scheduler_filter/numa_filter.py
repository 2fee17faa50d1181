"""A filter for kube-scheduler, as an extender: nodes of which no NUMA node has room for a container are left out."""

import json
from http.server import BaseHTTPRequestHandler

ANNOTATION = "example.com/free-cpus-by-numa-node"


def refusal(pod, node):
    """Why a node is left out, nothing where it is not."""
    free = json.loads(node["metadata"].get("annotations", {}).get(ANNOTATION, "[]"))
    asked = max(int(container["resources"]["limits"]["cpu"]) for container in pod["spec"]["containers"])
    return None if asked <= max(free, default=0) else f"no NUMA node has {asked} free CPUs"


class Filter(BaseHTTPRequestHandler):
    """Answers the scheduler's ExtenderArgs by an ExtenderFilterResult."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        nodes = {node["metadata"]["name"]: node for node in asked["Nodes"]["items"]}
        failed = {name: why for name, node in nodes.items() if (why := refusal(asked["Pod"], node))}
        left = [node for name, node in nodes.items() if name not in failed]
        answer = json.dumps({"nodes": {"items": left}, "failedNodes": failed}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        """Say nothing of each request."""
