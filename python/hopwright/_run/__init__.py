"""Scenarios that are run: at several seeds, in steps, into a folder."""
