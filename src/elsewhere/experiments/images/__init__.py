"""I1–I5 and I7, the paper's experiments on images: settings, models, tables and pictures."""
