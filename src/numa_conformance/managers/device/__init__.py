"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference, lowest_ids
from .manager import DeviceManager, provide
from .state import DeviceEntry, DeviceHolding
from .state_file import DEVICE_FILE, DeviceStateFile

__all__ = [
    "DEVICE_FILE",
    "DeviceEntry",
    "DeviceHolding",
    "DeviceManager",
    "DeviceStateFile",
    "Preference",
    "lowest_ids",
    "provide",
]
