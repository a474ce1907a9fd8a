"""`flydsl try`: kernels written elsewhere, file by file in processes of their own."""
