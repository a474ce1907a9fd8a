"""What the passes of this backend share: buffer pointers, matrix instructions of chips, values of a whole wave."""
