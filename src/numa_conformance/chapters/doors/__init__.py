"""What stands beside a kubelet, by the door at which it does: plugins, drivers, daemons that pin, exporters."""
