"""The CPU Manager: who gets which CPUs, and why."""

from .accumulator import NotEnoughCpus as NotEnoughCpus
from .allocator import CpuAllocator as CpuAllocator
from .cpu_state import CpuHolding as CpuHolding
from .cpu_state import CpuPools as CpuPools
from .cpu_state import CpuState as CpuState
from .hint_request import HintRequest as HintRequest
from .manager import make_cpu_manager as make_cpu_manager
from .manager import provide as provide
from .provider import CpuManager as CpuManager
from .state_file import CPU_FILE as CPU_FILE
from .static_policy import StaticPolicy as StaticPolicy
from .topology import CpuTopology as CpuTopology
from .topology import view_of as view_of
