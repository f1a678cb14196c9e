"""Interoperation with the kernel's TCP."""
