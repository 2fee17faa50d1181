"""Machines from what tools print of them, as people paste it."""
