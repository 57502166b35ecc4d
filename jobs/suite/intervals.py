"""Intervals of shares, and on which side of a threshold they lie."""
import math
from statistics import NormalDist

CONFIDENCE = 0.95
MOST = 100000  # problems that `needed` tries


def confidence_of(number):
    """Of each of some intervals, so that all of them hold together by CONFIDENCE [Bonferroni]."""
    return 1 - (1 - CONFIDENCE) / number


def wilson(wins, n, confidence=CONFIDENCE):
    """Of the share wins/n [Wilson 1927]; all of [0, 1] for n = 0."""
    if n == 0:
        return 0.0, 1.0
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), wins / n
    centre, width = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max((centre - width) / (1 + z * z / n), 0.0), min((centre + width) / (1 + z * z / n), 1.0)


def side(wins, n, threshold, confidence, fewest=0):
    """1: the interval lies above the threshold, -1: below, 0: on both sides, or n is below the fewest."""
    low, high = wilson(wins, n, confidence)
    return 0 if n < fewest else (low > threshold) - (high < threshold)


def needed(wins, n, threshold, confidence, fewest):
    """The n from which on an interval of the same share lies on one side of a threshold; None: no n up to MOST."""
    if n == 0 or wins / n == threshold:
        return None
    low, high = 0, MOST
    decided = lambda k: side(wins / n * k, k, threshold, confidence, fewest) != 0
    if not decided(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high


def text(wins, n, confidence=CONFIDENCE):
    """ "83 % (61 - 94)", "-" of nothing."""
    low, high = wilson(wins, n, confidence)
    return f"{100 * wins / n:.0f} % ({100 * low:.0f} - {100 * high:.0f})" if n else "-"
