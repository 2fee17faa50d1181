"""An unmodified kubelet as a target: on a machine that is not there, with a container runtime that starts nothing."""
