"""What a mechanism shares between domains: all of it, none of it, or only its noise scale."""

SHARED, OWN, OWN_BUT_SCALE = range(3)
