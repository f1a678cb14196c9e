"""Our own research: papers' tables beside this program's, loss differentiators, energy."""
