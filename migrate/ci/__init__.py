"""Continuous integration out of the box: a GitHub workflow and a GitLab pipeline, tuned to the project. Writes text, runs nothing."""
