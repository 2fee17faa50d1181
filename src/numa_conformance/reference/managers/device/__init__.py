"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference, lowest_ids
from .device_state import NO_NODE, DeviceEntry, DeviceHolding, ResourceDevices
from .manager import DeviceManager, provide
from .state_file import DEVICE_FILE

__all__ = ["DEVICE_FILE", "NO_NODE", "DeviceEntry", "DeviceHolding", "DeviceManager", "Preference"]
__all__ += ["ResourceDevices", "lowest_ids", "provide"]
