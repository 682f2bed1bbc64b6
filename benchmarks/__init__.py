"""Benchmarks: ratios against peers within one run. `python -m benchmarks` runs all; each module writes its own section."""
