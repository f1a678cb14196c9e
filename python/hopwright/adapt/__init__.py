"""The map: which composition of transport mechanisms is the best on which network."""
