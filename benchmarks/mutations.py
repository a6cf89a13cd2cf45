"""Model files made wrong on purpose, with the checksum made right; used by a test and a benchmark.

A case is a seed: it changes one to four things of a good file, in the header's tree, in its text,
in the arrays or in the bytes.
"""

import copy
import hashlib
import json
import pickle

import numpy as np

MAGIC = b"elsewhere model, format 2\n"
VALUES = [
    *(None, True, False, 0, 1, 2, 3, -1, 64, 4096, 10**6, 10**9, 10**18, 10**30, -(10**25)),
    *(0.0, -0.0, 0.5, 1e-320, 1e-12, 1e12, 1e300, -1e308, float("nan"), float("inf")),
    *("", "all", "a", "north", "x" * 2_000, "\x00", "\ud800", "<script>", "../../x", "1e5"),
    *([], {}, [[]], [0], [True, True, True], {"": 0}, {"tuple": []}, {"date": "2020-13-99"}),
    *({"timestamp": "now"}, {"Chain": []}, {"Identity": 2}, {"Invert": {"Identity": 3}}),
]
NUMBERS = np.array(
    [*(np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-38, 1e-30, 1e-15, 1e6, 1e15, 3e38, 1e200, 1e308)]
)


def taken_apart(content):
    """(header with its list of arrays, arrays) of a file."""
    line, _, data = content.removeprefix(MAGIC).partition(b"\n")[2].partition(b"\n")
    header, arrays, start = json.loads(line), [], 0
    for entry in header["arrays"]:
        count = int(np.prod(entry["shape"]))
        flat = np.frombuffer(data, entry["dtype"], count, start)
        arrays.append(flat.reshape(entry["shape"]).copy())
        start += flat.nbytes
    return header, arrays


def put_together(line, data):
    """A file whose checksum is right."""
    rest = line + b"\n" + data
    return MAGIC + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def mutated(header, arrays, seed):
    """The file of one case."""
    rng = np.random.default_rng(seed)
    header, arrays = pickle.loads(pickle.dumps(header)), list(arrays)  # a quick deep copy
    for _ in range(rng.integers(1, 5)):
        (in_tree, in_tree, in_arrays, in_arrays, in_listing)[rng.integers(5)](rng, header, arrays)
    line = json.dumps(header).encode("utf-8", "surrogatepass")
    data = b"".join(array.tobytes() for array in arrays)
    if rng.random() < 0.1:
        line = in_bytes(rng, line)
    if rng.random() < 0.1:
        data = in_bytes(rng, data)
    return put_together(line, data)


def in_tree(rng, header, arrays):
    """Another value, none, another part, or one more or less, at a random place of the header."""
    places = [place for place in walk(header) if place[0] is not header.get("arrays")]
    holder, key = places[rng.integers(len(places))]
    kind, other = rng.integers(6), places[rng.integers(len(places))]
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = copy.deepcopy(other[0][other[1]])
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind == 3 and isinstance(holder[key], int | float):
        holder[key] = holder[key] * float(rng.choice([-1, 0, 0.5, 2, 1e6, 1e-6, 1e300]))
    elif kind == 4:
        holder[key] = nested(holder[key], int(rng.choice([1, 3, 30, 60])), rng)
    else:
        holder[key] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])


def nested(value, depth, rng):
    """The value within lists or chains."""
    wrap = rng.integers(3)
    for _ in range(depth):
        value = [value] if wrap == 0 else {"Chain": [value]} if wrap == 1 else {"Invert": value}
    return value


def in_arrays(rng, header, arrays):
    """Other numbers in an array."""
    i = rng.integers(len(arrays))
    array, kind = arrays[i].copy(), rng.integers(5)
    if not array.size:
        return
    flat = array.reshape(-1)
    some = rng.integers(flat.size, size=1 if rng.random() < 0.5 else flat.size)
    with np.errstate(all="ignore"):
        if kind == 0:
            flat[some] = rng.choice(NUMBERS).astype(array.dtype)
        elif kind == 1:
            flat[some] = (flat[some] * rng.choice([-1.0, 1e-9, 1e9, 1e20])).astype(array.dtype)
        elif kind == 2:
            flat[:] = rng.permutation(flat)
        elif kind == 3:
            flat[:] = flat[0]
        else:
            flat.view(np.uint8)[rng.integers(flat.nbytes)] ^= 1 << rng.integers(8)
    arrays[i] = array


def in_listing(rng, header, arrays):
    """Another shape or type, an array less, or two that change places."""
    i, j = rng.integers(len(arrays), size=2)
    listing, kind = header.get("arrays"), rng.integers(5)
    if kind == 0:
        arrays[i], arrays[j] = arrays[j], arrays[i]
    elif not listed(listing, i):
        return
    elif kind == 1:
        listing[i]["shape"] = listing[i]["shape"][::-1]
    elif kind == 2:
        listing[i]["shape"] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
    elif kind == 3:
        listing[i]["dtype"] = str(rng.choice(["<f4", "<f8", "<i4", "<i8", "|b1", "|O", "<c16"]))
    else:
        listing[i]["shape"] = [1, *listing[i]["shape"]]


def listed(listing, i):
    """Whether an earlier change left the array's entry as it should be."""
    found = isinstance(listing, list) and i < len(listing) and isinstance(listing[i], dict)
    return found and isinstance(listing[i].get("shape"), list)


def in_bytes(rng, content):
    """Bits turned, a piece cut out or doubled."""
    changed = bytearray(content)
    if not changed:
        return content
    place, length = int(rng.integers(len(changed))), int(rng.integers(1, 40))
    kind = rng.integers(3)
    if kind == 0:
        changed[place] ^= 1 << rng.integers(8)
    elif kind == 1:
        del changed[place : place + length]
    else:
        changed[place:place] = changed[place : place + length]
    return bytes(changed).replace(b"\n", b" ")


def walk(tree):
    """(holder, key) of every value in the tree."""
    found, pending = [], [tree]
    while pending:
        one = pending.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], dict | list):
                pending.append(one[key])
    return found
