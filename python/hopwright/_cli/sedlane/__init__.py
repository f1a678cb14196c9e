"""`hopwright sedlane`: its commands, each in a module of its own."""
