"""The search for the latent axes of a leaky or linear mixing."""
