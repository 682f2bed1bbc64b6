"""What the migration needs and the shop does not."""
