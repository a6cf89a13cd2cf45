"""The exact engine: linear and leaky-linear mixings, mechanisms profiled out in closed form."""
