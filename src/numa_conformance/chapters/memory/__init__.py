"""The Memory Manager: its policies, its hints, and what is reserved of it."""
