"""What rewritten control flow calls while a function is traced."""
