"""Conversations as data: what drives writes them, what judges reads them."""
