"""`types`: short names of types."""
