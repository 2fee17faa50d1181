"""Where the Device Manager departs from its documentation."""

from .quirk import QuirkFlags, flags_of


@flags_of("device.txt")
class DeviceQuirks(QuirkFlags):
    """Where the Device Manager departs from its documentation. True: as Kubernetes does."""
