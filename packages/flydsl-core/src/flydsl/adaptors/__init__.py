"""The core's own tensor adaptors, and the choice of an adaptor for a type; frameworks bring theirs as plugins."""
