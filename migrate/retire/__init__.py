"""Delete a retired symbol: conditions first, then a plan, then edits that are verified and can be taken back."""
