"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference, lowest_ids
from .manager import DeviceManager
from .state import DeviceEntry
from .state_file import DEVICE_FILE, DeviceStateFile

__all__ = [
    "DEVICE_FILE",
    "DeviceEntry",
    "DeviceManager",
    "DeviceStateFile",
    "Preference",
    "lowest_ids",
]
