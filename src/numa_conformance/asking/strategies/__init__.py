"""Hypothesis strategies: machines, kubelet configurations, pods and workloads."""

from .machines import machines
from .workloads import containers, kubelet_configurations, pods, workloads

__all__ = ["containers", "kubelet_configurations", "machines", "pods", "workloads"]
