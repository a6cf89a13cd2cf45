"""Every experiment of the paper, one command away."""
