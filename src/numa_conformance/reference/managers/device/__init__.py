"""The Device Manager: devices of device plugins, with their NUMA affinity."""

from .choose import Preference as Preference
from .choose import lowest_ids as lowest_ids
from .device_state import NO_NODE as NO_NODE
from .device_state import DeviceEntry as DeviceEntry
from .device_state import DeviceHolding as DeviceHolding
from .device_state import ResourceDevices as ResourceDevices
from .manager import DeviceManager as DeviceManager
from .manager import provide as provide
from .state_file import DEVICE_FILE as DEVICE_FILE
