"""Elementary functions in, polynomials and bit operations out: for targets without an instruction or a fast library for
them.
"""
