"""Elementary functions as polynomials and bit operations, for targets without an instruction or a fast library."""
