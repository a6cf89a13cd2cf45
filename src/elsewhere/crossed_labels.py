"""Labels of combinations of domains, as of a site and a scanner: 'B × 2'."""

from collections.abc import Hashable, Sequence

import numpy as np

JOIN = " × "  # between the parts of a label; no part may hold it


def joined(parts: Sequence[Hashable]) -> str:
    """'B × 2' of ('B', 2); 2.0 reads like 2.

    >>> joined(["B", 2.0])
    'B × 2'

    Args:
        parts: one label for each column of domains; or what these columns are called.
    """
    texts = [_text(part) for part in parts]
    if bad := [text for text in texts if JOIN in text]:
        raise ValueError(
            f"columns and labels of crossed domains must not hold {JOIN!r}, which joins them; got "
            f"{bad[0]!r}. Rename it."
        )
    return JOIN.join(texts)


def parted(label: Hashable) -> tuple[str, ...]:
    """The parts of a label; the label alone where it is not joined.

    >>> parted("B × 2")
    ('B', '2')
    """
    return tuple(str(label).split(JOIN))


def _text(part: Hashable) -> str:
    part = part.item() if isinstance(part, np.generic) else part
    whole = isinstance(part, float) and part.is_integer()
    return str(int(part)) if whole else str(part)  # type: ignore[call-overload]
