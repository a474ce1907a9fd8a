"""Files that others name, made or may change: read, digested, kept in private folders."""
