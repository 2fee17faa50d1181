"""Command lines of kubelets as people paste them, recognised by what stands in them."""

# ruff: noqa: E501  (lines as they are pasted)

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_kubelet_configuration
from numa_conformance.kube.kubelet_flags import MAX_BYTES

PROCESSES = """\
$ ps -ef | grep kubelet
root    812     1  4 06:10 ?  00:31:07 /usr/bin/kube-apiserver --kubelet-client-key=/etc/a.key --cpu-manager-policy=none
root   1391     1  2 06:10 ?  00:12:44 /usr/local/bin/kubelet --config=/etc/kubelet.yaml --v 2 --node-ip 192.0.2.7 --cpu-manager-policy static --reserved-cpus 0-1
admin  8002  1391  0 07:00 ?  00:00:00 grep --color=auto kubelet
"""
UNIT = """\
# /etc/systemd/system/kubelet.service.d/20-numa.conf
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/kubelet.kubeconfig --rotate-certificates"
Environment="NUMA_ARGS=--cpu-manager-policy=static"
; it's a comment
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $NUMA_ARGS \\
    --reserved-cpus=0-1
"""
STATUS = """\
● kubelet.service - Node agent
     Loaded: loaded (/usr/lib/systemd/system/kubelet.service; enabled)
   Main PID: 77 (kubelet)
     CGroup: /system.slice/kubelet.service
             └─77 /usr/bin/kubelet --cloud-provider=external --cpu-manager-policy=static --reserved-cpus=0-1
"""
LOG = """\
I1127 06:10:00.000001    1391 flags.go:64] FLAG: --cpu-manager-policy="static"
I1127 06:10:00.000002    1391 flags.go:64] FLAG: --eviction-hard=""
I1127 06:10:00.000003    1391 flags.go:64] FLAG: --max-pods="110"
I1127 06:10:00.000004    1391 flags.go:64] FLAG: --reserved-cpus="0-1"
I1127 06:10:00.000005    1391 flags.go:64] FLAG: --root-dir="/var/lib/kubelet"
"""
READ = {
    "ps among others": (PROCESSES, "--config, --v, --node-ip"),
    "a drop-in of systemd": (UNIT, "--kubeconfig, --rotate-certificates"),
    "systemctl status": (STATUS, "--cloud-provider"),
    "the log of a start": (LOG, "--root-dir"),
    "a file of variables": ('export NODE_ARGS="--cpu-manager-policy=static --reserved-cpus=0-1"\n', None),
    "kubeadm-flags.env": ("KUBELET_KUBEADM_ARGS='--node-ip=192.0.2.7 --cpu-manager-policy=static --reserved-cpus=0-1'", "--node-ip"),
    "variables of another name": ("EXTRA_OPTS=--cpu-manager-policy=static\nMORE=--reserved-cpus=0-1\n", None),
    "pairs without dashes": ("cpu-manager-policy=static reserved-cpus=0-1 anonymous-auth=false\n", "'anonymous-auth'"),
    "a variable of several lines": ('NUMA="--cpu-manager-policy=static\n  --reserved-cpus=0-1"\n', None),
    "a flag a line": ("--cpu-manager-policy=static\n# --reserved-cpus=5\n--reserved-cpus=0-1\n", None),
    "the file of a process": ("/usr/bin/kubelet\0--cpu-manager-policy=static\0--reserved-cpus\0" + "0-1\0", None),
    "minikube": ("minikube start --cpus 4 --extra-config=kubelet.cpu-manager-policy=static --extra-config 'kubelet.reserved-cpus=0-1'", "--cpus"),
    "k3s": ('INSTALL_EXEC="agent --kubelet-arg=cpu-manager-policy=static --kubelet-arg reserved-cpus=0-1" sh -\n', "'sh'"),
    "a script of EKS": ("#!/bin/sh\n/etc/eks/bootstrap.sh some --kubelet-extra-args '--cpu-manager-policy=static --reserved-cpus=0-1'\n", None),
    "a typographer's": ("kubelet \u2013-cpu-manager-policy=\u201cstatic\u201d \u2014reserved-cpus=\u201c0-1\u201d\n", None),
    "prose with an apostrophe": ("Here\u2019s mine:\n--cpu-manager-policy=static --reserved-cpus=0-1\n", None),
    "quoted in Markdown": ("> ```\n> --cpu-manager-policy=static \\\n>   --reserved-cpus=0-1\n> ```\n", None),
    "wrapped by a terminal": (
        "root 1 0 /usr/bin/kubelet --cpu-manager-policy=static --node-ip=192.0.2.7 --reserv\n"
        "ed-cpus=0-1\n2 0 sleep --max-pods=9\n",
        "--node-ip",
    ),
    "the log of a start as JSON": (
        '{"ts": 1.1, "msg": "FLAG: --cpu-manager-policy=\\"static\\"\\n", "v": 1}\n'
        '{"ts": 1.2, "msg": "FLAG: --reserved-cpus=\\"0-1\\"\\n", "v": 1}\n',
        None,
    ),
    "the log of k3s": (
        'time="2026-01-01T00:00:00Z" level=info msg="Running kubelet --cpu-manager-policy=static --reserved-cpus=0-1"\n',
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "others"), READ.values(), ids=READ.keys())
def test_a_pasted_command_line_is_read_and_one_notice_names_what_is_not(tmp_path, text, others):
    (tmp_path / "pasted").write_text(text)
    config = read_kubelet_configuration(tmp_path / "pasted")
    assert (config.cpu_manager_policy, config.reserved_system_cpus) == ("static", "0-1")
    assert config.max_pods == 110
    assert len(config.notes) == (others is not None)
    assert (others or "") in "".join(config.notes)


def test_what_a_log_says_of_flags_that_nobody_set_does_not_count(tmp_path):
    (tmp_path / "kubelet.log").write_text(LOG)
    read = read_kubelet_configuration(tmp_path / "kubelet.log").to_dict()
    assert read.keys() == {"apiVersion", "kind", "cpuManagerPolicy", "reservedSystemCPUs"}


REFUSED = {
    "a misspelt flag": ("--cpu-manger-policy=static\n", "did you mean '--cpu-manager-policy'?"),
    "a field in place of a flag": ("--cpuManagerPolicy=static\n", "did you mean '--cpu-manager-policy'?"),
    "two kubelets": ("1 kubelet --v=1\n2 kubelet --v=2\n", "holds 2 command lines of kubelets (accepted: one)"),
    "no flags": ("[Service]\nExecStart=/usr/bin/kubelet $KUBELET_ARGS\n", "holds no flag of a kubelet"),
    "an open quote": ("KUBELET_ARGS=\"--v=2\n", "cannot be split into words"),
    "too much": ("--v=2 " * (MAX_BYTES // 6 + 1), f"is larger than {MAX_BYTES} bytes"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_command_line_is_one_sentence(tmp_path, text, said):
    (tmp_path / "pasted").write_text(text)
    with pytest.raises(UsageError) as refused:
        read_kubelet_configuration(tmp_path / "pasted")
    assert said in str(refused.value)
    assert len(refused.value.faults) == 1


@pytest.mark.parametrize(
    "text",
    [
        "kind: KubeletConfiguration\ncpuManagerPolicy: static\n# --cpu-manager-policy=none\n",
        '{"kind": "KubeletConfiguration", "cpuManagerPolicy": "static"}',
        "kubelet-arg:\n  - --cpu-manager-policy=static\n",
        "kind: KubeletConfiguration\ncpuManagerPolicy: static\nproviderID: |\n  --cpu-manager-policy=none\n",
    ],
)
def test_a_document_with_flags_in_it_is_no_command_line(tmp_path, text):
    (tmp_path / "file.yaml").write_text(text)
    assert read_kubelet_configuration(tmp_path / "file.yaml").cpu_manager_policy == "static"


@pytest.mark.parametrize("end", ["…", "...", ">"])
def test_a_line_that_systemctl_has_cut_is_refused(tmp_path, end):
    (tmp_path / "status.txt").write_text(f"{STATUS.rstrip()} --topology-manager-policy=single-numa{end}\n")
    with pytest.raises(UsageError, match=r"status.txt: is cut off at '--topology-manager-policy=single-numa") as caught:
        read_kubelet_configuration(tmp_path / "status.txt")
    assert caught.value.faults[0].accepted == "whole lines: systemctl status --full --no-pager kubelet"


def test_a_command_line_may_be_written_by_powershell(tmp_path):
    path = tmp_path / "kubelet.txt"
    path.write_bytes("kubelet --cpu-manager-policy=static --reserved-cpus=0".encode("utf-16"))
    assert read_kubelet_configuration(path).cpu_manager_policy == "static"
