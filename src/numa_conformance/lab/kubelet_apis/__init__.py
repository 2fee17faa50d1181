"""The gRPC interfaces at which a kubelet meets its container runtime, its device plugins and who asks it."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # else gRPC's core writes of every peer that goes away
