"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference, lowest_ids
from .manager import DeviceManager
from .state import DeviceEntry

__all__ = ["DeviceEntry", "DeviceManager", "Preference", "lowest_ids"]
