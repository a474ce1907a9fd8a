"""The Fly dialect on xDSL: its types and operations, result-type inference, fast construction, parsing and printing."""
