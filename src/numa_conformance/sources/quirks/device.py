"""Where the Device Manager departs from its documentation."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
devices-without-topology-never-count; 1.18+; DEV-HINT-06
  of a resource that mixes devices with and without topology only the former count for hints, so a request that the free
    devices could meet may be impossible
  documented: a device without topology information gives no NUMA preference and suits every NUMA node
no-devices-for-pods-served-whole; 1.36+; CPU-PLR-01
  with the gate PodLevelResourceManagers and the scope pod, containers of a pod with spec.resources get no devices
  documented: containers get the devices that they ask for
ended-init-containers-need-their-plugin; 1.27.2+; DEV-INIT-05
  a whole kubelet that starts admits its pods before device plugins have registered with it, and asks for the devices of
    init containers that have ended: the running pod is refused
  documented: a running pod keeps what it has across restarts of the kubelet
  issue: kubernetes/kubernetes#138446
restarted-containers-need-their-plugin; 1.27.6-1.34.6; DEV-ALLOC-02
  of a container that ended and was started again, a whole kubelet that starts looks up any one id: that of the one that
    ended, as here, says that it does not run, and the running pod is refused before its device plugin has registered
  documented: a running pod keeps what it has across restarts of the kubelet
  issue: kubernetes/kubernetes#133451
  mended by: kubernetes/kubernetes#135485, kubernetes/kubernetes#138027
unhealthy-devices-are-kept; 1.10-1.27.1; DEV-ALLOC-03
  the health of devices is not looked at where nothing is to be given: a container keeps what it has, and one that asks
    for none is admitted, also where the devices are unhealthy or no plugin has registered
  documented: a resource without healthy devices, and devices that are no longer healthy, refuse the pod
  issue: kubernetes/kubernetes#109595
  mended by: kubernetes/kubernetes#117719
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceQuirks(QuirkFlags):
    """Where the Device Manager departs from its documentation. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    devices_without_topology_never_count: bool = False
    no_devices_for_pods_served_whole: bool = False
    ended_init_containers_need_their_plugin: bool = False
    restarted_containers_need_their_plugin: bool = False
    unhealthy_devices_are_kept: bool = False
