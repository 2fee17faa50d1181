"""The pytest plugin. Hooks only; the work is done in ``suite`` and ``report``."""
