"""`graphlift demo`, stage by stage: one file a stage, each a function of the journey.

The stages know the demo's shop; the commands that they run know nothing about it.
"""
