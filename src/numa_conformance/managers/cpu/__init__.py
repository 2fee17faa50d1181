"""The CPU Manager: who gets which CPUs, and why."""

from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .hint_request import HintRequest
from .manager import CpuManager, make_cpu_manager
from .never_ends import NeverEnds
from .options import OPTION_NAMES, StaticOptions
from .state import CpuState
from .state_file import CPU_FILE, CpuStateFile
from .static_policy import StaticPolicy
from .topology import CpuTopology, view_of

__all__ = [
    "CPU_FILE",
    "OPTION_NAMES",
    "CpuAllocator",
    "CpuManager",
    "CpuState",
    "CpuStateFile",
    "CpuTopology",
    "HintRequest",
    "NeverEnds",
    "NotEnoughCpus",
    "StaticOptions",
    "StaticPolicy",
    "make_cpu_manager",
    "view_of",
]
