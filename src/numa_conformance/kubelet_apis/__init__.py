"""The gRPC interfaces at which a kubelet meets its container runtime, its device plugins and who asks it."""
