"""Experiments on real tables whose pairs are hidden."""
