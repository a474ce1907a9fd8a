"""The target-neutral passes, one file each: from Fly modules to Fly pointer operations on upstream dialects."""
