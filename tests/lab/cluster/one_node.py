"""A node without a kubelet: what stands for images runs as CRI is asked, in a process that has no threads before.

``python one_node.py FOLDER QUESTIONS.json`` prints what became of each question, as JSON lines.
"""

import json
import sys
from pathlib import Path

from numa_conformance.lab.cluster.image_programs import ImagePrograms
from numa_conformance.lab.kubelet.launcher import HOME, Launcher
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.namespaces import enter_mount_namespace

sys.path.insert(0, str(Path(__file__).parents[2]))

from processes import wait_until

home, questions = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
enter_mount_namespace(become_root=True, harmless=True)
launcher = Launcher()

import grpc  # noqa: E402  (it has threads)

from numa_conformance.lab.kubelet.runtime import FakeRuntime  # noqa: E402
from numa_conformance.lab.kubelet_apis.interfaces import CRI, ask  # noqa: E402

programs = ImagePrograms(
    {"registry.example/prog": [sys.executable, str(home / "prog.py")]},
    (home, home),
    launcher,
    {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "6443"},
    lambda: kubelet,
    lambda *words: runtime.end(*words),
)
runtime = FakeRuntime(home, lambda uid, name: False, lambda uid: True, programs=programs, address="127.0.0.1")
(home / "logs/p").mkdir(parents=True)
kubelet = launcher.start(machine_to_dict(load_machine("sparse-ids")), home, "/bin/sleep", ["86400"])
wait_until(lambda: Path(f"/proc/{kubelet}/comm").read_text() == "sleep\n")  # it has its mounts then


def call(name, answer="Empty", **fields):
    request = CRI.of(f"{name}Request")(**fields)
    try:
        return ask(str(home / "cri.sock"), CRI, f"RuntimeService/{name}", request, answer)
    except grpc.RpcError as error:
        return error.code().name


sandbox = call(
    "RunPodSandbox",
    "RunPodSandboxResponse",
    config=CRI.PodSandboxConfig(metadata=CRI.PodSandboxMetadata(name="p", uid="u"), log_directory=f"{HOME}/logs/p"),
).pod_sandbox_id
address = call("PodSandboxStatus", "PodSandboxStatusResponse", pod_sandbox_id=sandbox).status.network.ip


for number, question in enumerate(questions):
    log = home / f"logs/p/{number}.log"
    mounts = question.get("mounts", {})
    config = CRI.ContainerConfig(
        metadata=CRI.ContainerMetadata(name=f"c{number}"),
        image=CRI.ImageSpec(image="sha256:0", user_specified_image=question.get("image", "registry.example/prog:v1")),
        command=question.get("command", []),
        args=question.get("args", []),
        envs=[CRI.KeyValue(key="FROM_POD", value="yes")],
        mounts=[CRI.Mount(container_path=at, host_path=f"{HOME}/{of}") for at, of in mounts.items()],
        log_path=f"{number}.log",
    )
    container = call("CreateContainer", "CreateContainerResponse", pod_sandbox_id=sandbox, config=config).container_id
    call("StartContainer", container_id=container)

    def status(container=container):
        return call("ContainerStatus", "ContainerStatusResponse", container_id=container).status

    answer = {"address": address}
    if "until" in question:
        wait_until(lambda log=log, words=question["until"]: log.exists() and words in log.read_text())
    if "exec" in question:
        told = call(
            "ExecSync", "ExecSyncResponse", container_id=container, cmd=question["exec"], timeout=question.get("for", 0)
        )
        answer["exec"] = told if isinstance(told, str) else [told.exit_code, told.stdout.decode()]
    if "stop" in question:
        call("StopContainer", container_id=container, timeout=question["stop"])
    elif question.get("image") is None:
        wait_until(lambda: status().finished_at)
    told = status()
    answer |= {"state": told.state, "code": told.exit_code, "reason": told.reason}
    answer["log"] = log.read_text().splitlines() if log.exists() else []
    sys.stdout.write(json.dumps(answer) + "\n")
programs.close()
runtime.close()
launcher.end(kubelet)
