"""IDX files as bytes."""

import numpy as np


def idx_bytes(array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return header + array.astype(np.uint8).tobytes()
