"""Scenarios that are run: at several seeds, into a folder."""
