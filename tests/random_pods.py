"""Pods drawn at random, each for one node of ``lab/cluster/ten_machines.yaml``."""

DEVICE = {"devices": "example.com/nic", "sapphire": "example.com/gpu"}


def random_pod(draw, name, node):
    """A pod that the scheduler may bind to one node alone: of any class, with init containers and sidecars."""
    kind = draw.choice(["guaranteed"] * 6 + ["burstable", "best-effort", "fractional", "several"])
    count = draw.choice([2, 3]) if kind == "several" else 1
    containers = [_container(draw, f"c{number}", kind, node) for number in range(count)]
    spec = {"containers": containers, "nodeSelector": {"kubernetes.io/hostname": node}}
    if kind in ("guaranteed", "several") and draw.random() < 0.3:
        first = _container(draw, "first", kind, node)
        if draw.random() < 0.5:
            first["restartPolicy"] = "Always"
        spec["initContainers"] = [first]
    return {"metadata": {"name": name}, "spec": spec}


def _container(draw, name, kind, node):
    limits = {
        "cpu": str(draw.choice([1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16])),
        "memory": draw.choice(["64Mi", "256Mi", "1Gi"]),
    }
    if kind == "fractional":
        limits["cpu"] = draw.choice(["500m", "1500m", "2500m"])
    if kind in ("guaranteed", "several") and node in DEVICE and draw.random() < 0.3:
        limits[DEVICE[node]] = "1"
    if kind == "burstable":
        return {"name": name, "resources": {"requests": {"cpu": "300m"}, "limits": limits}}
    return {"name": name} if kind == "best-effort" else {"name": name, "resources": {"limits": limits}}
