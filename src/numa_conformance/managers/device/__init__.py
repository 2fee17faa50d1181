"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference, lowest_ids
from .manager import DeviceManager
from .state import DeviceEntry
from .state_file import DEVICE_FILE, DeviceStateFile, device_checksum_fits

__all__ = [
    "DEVICE_FILE",
    "DeviceEntry",
    "DeviceManager",
    "DeviceStateFile",
    "Preference",
    "device_checksum_fits",
    "lowest_ids",
]
