import numa_conformance.chapters.pairs  # noqa: F401  (it says where the pairs lie, whose cases these tests vary)
