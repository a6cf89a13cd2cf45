"""A small ray caster: solids as distance fields, rays that walk along them, light and colour."""
