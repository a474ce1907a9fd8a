"""What the passes of the CPU are made of: analyses, memory, vectors, the schedule of a kernel, its native code."""
