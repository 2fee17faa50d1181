"""The CPU Manager: the page Node Resource Managers and its options, hints, pools and lives of CPUs."""
