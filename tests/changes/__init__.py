"""What mutants, alternatives and noise are made of: allocators that answer otherwise than the reference in one way."""
