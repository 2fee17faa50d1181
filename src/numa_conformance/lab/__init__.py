"""Real programs before our machines: kubelets, NRI plugins, DRA drivers, device plugins, clusters, node agents."""
