"""Seeds as the scripts in this folder take them."""


def seed_range(text):
    """3 for the seed 3, 3-9 for those from 3 to 9."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))
