"""What makes a start quick: pauses of the collector, methods that are generated late, memos between processes."""
