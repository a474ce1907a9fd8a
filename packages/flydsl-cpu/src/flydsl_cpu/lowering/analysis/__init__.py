"""What is known of values and operations before any code is made."""
