"""What runs measured: as objects, as tables, in words."""
