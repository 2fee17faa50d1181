from .machines import machines

__all__ = ["machines"]
