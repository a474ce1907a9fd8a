"""From a function to code that runs: traced, lowered, an artifact, loaded."""
