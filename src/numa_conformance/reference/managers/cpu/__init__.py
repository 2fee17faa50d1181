"""The CPU Manager: who gets which CPUs, and why."""

from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .cpu_state import CpuHolding, CpuPools, CpuState
from .hint_request import HintRequest
from .manager import make_cpu_manager, provide
from .provider import CpuManager
from .state_file import CPU_FILE
from .static_policy import StaticPolicy
from .topology import CpuTopology, view_of

__all__ = ["CPU_FILE", "CpuAllocator", "CpuHolding", "CpuManager", "CpuPools", "CpuState", "CpuTopology"]
__all__ += ["HintRequest", "NotEnoughCpus", "StaticPolicy", "make_cpu_manager", "provide", "view_of"]
