"""What everything is built on: files that are read and written, errors, text, bars, warnings."""
