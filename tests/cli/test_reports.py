"""Twenty texts as public reports have them, in our own words and figures: each is read right, or refused with a remedy.

Of each: what it is, how it is given, the exit code, and what the answer says.
"""

# ruff: noqa: E501, RUF001  (lines as they are pasted, in the letters of their languages)

import json

import pytest

OLDEST_STATE = '{"policyName":"static","defaultCpuSet":"0,4","entries":{"5b1e":"1,5","77aa":"2-3,6-7"},"checksum":0}'
REMARKED_STATE = """\
cpu_manager_state:
```json
{
  "policyName": "static",
  "defaultCpuSet": "0-1,4-5", // should be 0-1,4-5,7
  "entries": {
    "8d3c-uid": {
      "init-one": "2-3,6-7",
      "main": "2,6"
    }
  },
  "checksum": 2740220314
}
```
"""
FROM_A_SHELL = """\
kubelet args：
`
./bin/kubelet   --address=0.0.0.0   --feature-gates=CPUManagerPolicyAlphaOptions=true   --cpu-manager-policy=static   --topology-manager-policy=single-numa-node --kubeconfig=./kubelet.kubeconfig   --cert-dir=''   --v=2    --kube-reserved=cpu=1,memory=1Gi  --system-reserved=cpu=1,memory=1Gi --cgroup-driver=cgroupfs
`
"""
QUOTED = '"--cpu-manager-policy=static --topology-manager-scope=pod --topology-manager-policy=restricted --kube-reserved=cpu=1"\n'
OF_KUBEADM = 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock --cpu-manager-policy=static --reserved-cpus=0,4 --pod-infra-container-image=registry.example/pause:3.9"\n'
UNDERSCORES = '--cpu_manager_policy="static" --reserved_cpus=0,4\n'
RKE = "services:\n  kubelet:\n    extra_args:\n      cpu-manager-policy: 'static'\n      kube-reserved: 'cpu=1'\n    fail_swap_on: false\n"
DAEMON_SET = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: kubelet}\nspec: {template: {spec: {containers: [{name: kubelet, command: [kubelet, --cpu-manager-policy=static]}]}}}\n"
NODE_CONFIG = 'Jul 14 10:29:39 w docker[70714]: I0714 10:29:39.139047   70695 container_manager_linux.go:283] "Creating Container Manager object based on Node Config" nodeConfig={RuntimeCgroupsName: ReservedSystemCPUs: KubeReserved:map[]}\n'
FRAGMENT = 'cpuManagerPolicy: static\nreservedSystemCPUs: 0,4\ncpuManagerPolicyOptions:\n  full-pcpus-only: "true"\n  align-by-socket: true\n'
VARIABLES = "kube_version: v1.35.0\nkubelet_cpu_manager_policy: static\nkubelet_custom_flags: ['--reserved-cpus=0,4']\n"
PENDING = """\
This is the output of the `kubectl describe pods` command:
```
  Name:           serving-v1-5c5b
  Namespace:      default
  Node:           <none>
  Labels:         app=serving
                  version=v1
  Annotations:    <none>
  Status:         Pending
  IP:
  Controlled By:  ReplicaSet/serving-v1
  Containers:
    model:
      Image:      example.com/serving
      Host Port:  0/TCP
      Args:
        --port=9000
        --model_name=one
      Limits:
        cpu:             40
        memory:          4Gi
      Requests:
        cpu:             40
        memory:          4Gi
      Environment:       <none>
  QoS Class:       Guaranteed
```
"""
BOLD = PENDING.replace(
    "This is the output of the `kubectl describe pods` command:", "  **me@host:~$ kubectl -n one describe pod serving**"
)
NODE = "Addresses:\n  InternalIP:  192.0.2.1\nCapacity:\n  cpu:  64\nAllocatable:\n  cpu:                64\n  pods:               110\n"
PODS = "$ kubectl get pods\nNAME          READY   STATUS                     RESTARTS   AGE\nsolver-2q6    0/1     UnexpectedAdmissionError   0          4s\n"
HINTS = """\
Jan 22 12:45:27 w kubelet[317]: I0122 12:45:27.435184   317 scope_container.go:83] "TopologyHints" hints={"vendor.example/gpu":[{"NUMANodeAffinity":3,"Preferred":true}]} pod="one/two" containerName="main"
Jan 22 12:45:27 w kubelet[317]: I0122 12:45:27.435531   317 scope_container.go:83] "TopologyHints" hints={"memory":[{"NUMANodeAffinity":1,"Preferred":true},{"NUMANodeAffinity":2,"Preferred":true}]} pod="one/two" containerName="main"
Jan 22 12:45:27 w kubelet[317]: I0122 12:45:27.435568   317 scope_container.go:50] "Best TopologyHint" bestHint={"NUMANodeAffinity":1,"Preferred":false} pod="one/two" containerName="main"
"""
OLD_LOG = """\
Nov 15 10:34:35 w kubelet[208]: I1115 10:34:35.305074   208 topology_manager.go:194] [topologymanager] Hint Provider has no preference for NUMA affinity with any resource
Nov 15 10:34:35 w kubelet[208]: I1115 10:34:35.305085   208 topology_manager.go:285] [topologymanager] ContainerTopologyHint: {0000000000000111 true}
"""
JSON_LOG = '192.0.2.209: {"ts":1690001513203.121,"caller":"kubelet/kubelet.go:1480","msg":"Failed to start ContainerManager","err":"start cpu manager error"}\n'
DETECTED = "Jul  1 14:40:59 w kubelet[55]: I0701 14:40:59.673431   55 cpu_manager.go:113] [cpumanager] detected CPU topology: &{8 4 2 map[0:{0 0} 1:{0 1} 2:{1 2} 3:{1 3} 4:{0 0} 5:{0 1} 6:{1 2} 7:{1 3}]}\n"
DETECTED_LATER = '"Detected CPU topology" topology={"NumCPUs":4,"NumNUMANodes":2,"CPUDetails":{"0":{"NUMANodeID":0,"SocketID":0,"CoreID":0,"UncoreCacheID":0},"1":{"NUMANodeID":1,"SocketID":1,"CoreID":1,"UncoreCacheID":1},"2":{"NUMANodeID":0,"SocketID":0,"CoreID":0,"UncoreCacheID":0},"3":{"NUMANodeID":1,"SocketID":1,"CoreID":1,"UncoreCacheID":1}}}\n'
USER_DATA = "#!/bin/bash -xe\n/etc/eks/bootstrap.sh 'numa' --kubelet-extra-args '--node-labels=a=b --cpu-manager-policy=static --reserved-cpus=0,4' --b64-cluster-ca AAAA\n"

STATE, CONFIG, EXPLAIN, MACHINE = "--from-node", "--config", "explain", "--machine"
CONFIGZ = "proxy/configz"
REPORTS = {
    "a state file of the oldest format": (STATE, OLDEST_STATE, 2, "could not restore state from checkpoint: json: cannot unmarshal"),
    "a state file with a remark in it": (STATE, REMARKED_STATE, 0, "main: exclusive CPUs 2,6"),
    "a command of a shell": (CONFIG, FROM_A_SHELL, 0, "exclusive CPUs 1,5"),
    "flags in quotes": (CONFIG, QUOTED, 0, "reserved: 0"),
    "kubeadm-flags.env": (CONFIG, OF_KUBEADM, 0, "reserved: 0,4"),
    "flags with underscores": (CONFIG, UNDERSCORES, 0, "reserved: 0,4"),
    "cluster.yml": (CONFIG, RKE, 0, "reserved: 0"),
    "a kubelet as a DaemonSet": (CONFIG, DAEMON_SET, 2, CONFIGZ),
    "a log in place of a configuration": (CONFIG, NODE_CONFIG, 2, CONFIGZ),
    "options that are no texts": (CONFIG, FRAGMENT, 2, "cpuManagerPolicyOptions.align-by-socket: is true"),
    "variables of a playbook": (CONFIG, VARIABLES, 2, CONFIGZ),
    "user data": (CONFIG, USER_DATA, 0, "reserved: 0,4"),
    "a pending pod": (EXPLAIN, PENDING, 1, "refused, OutOfcpu"),
    "a pod below a bold prompt": (EXPLAIN, BOLD, 1, "refused, OutOfcpu"),
    "a node": (EXPLAIN, NODE, 2, "describes no pod (accepted: what they ask for: kubectl get pods -A -o yaml"),
    "a table of pods": (EXPLAIN, PODS, 2, "is a table of kubectl"),
    "hints": (EXPLAIN, HINTS, 0, "restricted: merged: {0} (not preferred), no set of NUMA nodes is preferred by all: refused"),
    "an old log without answers": (EXPLAIN, OLD_LOG, 2, "is a log (accepted: what they ask for: kubectl get pods"),
    "a log in JSON": (EXPLAIN, JSON_LOG, 2, "is a log (accepted: what they ask for: kubectl get pods"),
    "CPUs that a kubelet detected": (MACHINE, DETECTED, 0, "socket 1, NUMA 1 | 2,6    | 3,7    |"),
    "the same of a later kubelet": (MACHINE, DETECTED_LATER, 0, "socket 1, NUMA 1, L3 1 | 1,3    |"),
}  # fmt: skip
POD = {
    "metadata": {"name": "new"},
    "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 2, "memory": "1Gi"}}}]},
}


@pytest.mark.parametrize(("given", "text", "code", "words"), REPORTS.values(), ids=REPORTS.keys())
def test_a_text_of_a_report_is_read_right_or_refused_with_a_remedy(run, files, given, text, code, words):
    path, machine, pod = files("report.txt", text), "t1-one-socket-smt2", files("pod.yaml", json.dumps(POD))
    static = ("--flags", "--cpu-manager-policy=static --reserved-cpus=0,4")
    argv = {
        STATE: ("simulate", "--from-node", path, "--state-as-it-is", "--machine", machine, *static),
        CONFIG: ("simulate", "--config", path, "--machine", machine, pod),
        EXPLAIN: ("explain", path, "--machine", machine),
        MACHINE: ("simulate", "--machine", path, "--flags", "--cpu-manager-policy=static --reserved-cpus=0", files("none.yaml", "kind: Node\nmetadata: {name: w}\nstatus: {allocatable: {cpu: 4}}\n")),
    }  # fmt: skip
    ended, out, err = run(*argv[given])
    assert (ended, "Traceback" in err) == (code, False)
    assert words in out + err
    assert err.count("error:") == (code == 2)
