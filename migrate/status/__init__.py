"""Where the migration stands: stages, each proven from the files of this state, and what comes next."""
