"""graphlift: from a hand-rolled workflow walker to one graph engine, with proof.

This module holds nothing else. The four packages are `graphlift.adapters`, `graphlift.parity`, `graphlift.plugins` and
`graphlift.migrate`; import what you need from those.
"""
