"""What unmodified daemons as targets have in common: the process, and the machine and folders that it sees."""
