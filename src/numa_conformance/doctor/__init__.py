"""A node at work, read and never written: its configuration, what it keeps, what runs where, and the findings."""
