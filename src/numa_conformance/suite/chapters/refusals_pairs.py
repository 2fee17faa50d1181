"""What is said of a pod for which whole cores are missing, wrongly and rightly."""

from __future__ import annotations

from dataclasses import replace

from ..generators.workloads import guaranteed, static
from ..generators.worlds import node, refused
from . import refusals as chapter

THREE = refused(node("t3-two-numa-per-socket", static("full-pcpus-only")), guaranteed("p", 3))
NO_CORES = replace(THREE, reason="SMTAlignmentError")

PAIRS = {
    chapter.refused_pods_are_failed: (replace(NO_CORES, phase="Terminated"), replace(NO_CORES, phase="Failed")),
    chapter.tells_that_whole_cores_are_missing: (THREE, NO_CORES),
}
