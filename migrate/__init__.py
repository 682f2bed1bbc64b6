"""The migration: the ledger of references, codemods, retire, ratchet, status, and the command line.

Nothing in this folder imports the user's code, but for the parity gate's command, which runs it.
"""
