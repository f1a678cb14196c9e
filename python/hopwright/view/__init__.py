"""`hopwright view`: a page that shows a run as it moves."""
