"""What the plugin NodeResourcesFit of the scheduler does: pages Resource Bin Packing and Scheduler Configuration."""
