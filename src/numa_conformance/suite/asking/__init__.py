"""Asking a target: groups of scenarios, budgets, repeating and shortening what failed."""
