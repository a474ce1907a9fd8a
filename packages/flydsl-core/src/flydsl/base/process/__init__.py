"""What a process has one of: threads and forks, its error stream, its stack."""
