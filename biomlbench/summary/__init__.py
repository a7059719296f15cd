"""Tables over all pairs."""
