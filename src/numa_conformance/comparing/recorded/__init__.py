"""Recorded decisions: read them, replay them against a target, say where it differs."""

from .differences import Difference as Difference
from .forms import check_form as check_form
from .node_steps import record as record
from .replay import KINDS as KINDS
from .replay import Answerer as Answerer
from .replay import Recorded as Recorded
from .replay import ReplayOutcome as ReplayOutcome
from .replay import Status as Status
from .replay import record_decisions as record_decisions
from .replay import replay as replay
from .replay import unsupported as unsupported
from .vectors import FIRST_RECORDED as FIRST_RECORDED
from .vectors import MAX_DECISIONS as MAX_DECISIONS
from .vectors import SelectedDecisions as SelectedDecisions
from .vectors import Vector as Vector
from .vectors import read_vectors as read_vectors
from .vectors import select as select
