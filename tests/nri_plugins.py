"""The NRI plugin of ours: how it is told of a machine, and the ways in which it can be wrong."""

TOLD = ("-socket", "{nri_socket}", "-root", "{host_root}", "-reserved", "{reserved_cpus}",
        "-reserved-amount", "{reserved_amount}")  # fmt: skip
AS_ALWAYS = "-reserved {reserved_cpus} -reserved-amount {reserved_amount}"
"""The same for one that finds machine and socket where they always are."""
WRONG = {
    "no-updates": "cpuset/keeps-off-exclusive-cpus",
    "gives-reserved": "reservation/is-never-exclusive",
    "one-too-few": "static/integral-guaranteed-is-exclusive",
    "keeps-removed": "static/serves-what-is-free",
    "forgets": "static/exclusive-cpus-belong-to-one-pod",
    "overlaps": "static/gives-free-cpus-only",
}
