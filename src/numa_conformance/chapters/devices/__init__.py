"""The Device Manager: what it allocates, hints, and aligns."""
