"""What the web front calls."""
