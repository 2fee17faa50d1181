"""A cluster of real parts: the real control plane before unmodified kubelets, on machines that are not there."""
