"""The command line: its frame, and a module for the words of each command."""
