"""`hopwright sedlane`: a connection's path as a few pipes, for links here and elsewhere."""
