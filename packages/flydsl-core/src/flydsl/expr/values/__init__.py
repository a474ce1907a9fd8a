"""From values of the language to SSA values and back."""
