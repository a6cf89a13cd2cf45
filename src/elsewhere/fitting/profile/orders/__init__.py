"""Causal orders of the axes, and what sharing mechanisms costs in them."""
