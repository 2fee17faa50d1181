"""The reference as a node agent: pods from files, PodResources and device plugins on the sockets of a kubelet."""
