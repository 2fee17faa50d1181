"""What the cases in ``conformance/`` are written with."""
