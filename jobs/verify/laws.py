"""
Materials by their energy in the principal stretches, written down from the literature that docs/theory.md 3.2 cites,
independently of src/law. Derivatives are taken by complex steps, which are exact to round-off: d psi(s)/d s_i =
Im psi(s + i e t)/t for a tiny t.
"""
import cmath

TINY = 1e-30
MU, LAMBDA = 3e5, 7e5  # [Pa]
C10, C01, KAPPA = 1e5, 5e4, 8e5
BETA = 1e5  # of the spline's b'


def _square(value):
    return value * value


def strain(a, b, c):
    return MU / 2 * sum(_square(s - 1) for s in (a, b, c))


def corotated(a, b, c):
    return MU * sum(_square(s - 1) for s in (a, b, c)) + LAMBDA / 2 * _square(a + b + c - 3)


def fixed_corotated(a, b, c):
    return MU * sum(_square(s - 1) for s in (a, b, c)) + LAMBDA / 2 * _square(a * b * c - 1)


def neohookean(a, b, c):
    log = cmath.log(a * b * c)
    return MU / 2 * (a * a + b * b + c * c - 3) - MU * log + LAMBDA / 2 * log * log


def stable_neohookean(a, b, c):
    change = a * b * c - 1
    return MU / 2 * (a * a + b * b + c * c - 3) - MU * change + LAMBDA / 2 * change * change


def stvk(a, b, c):
    green = [(s * s - 1) / 2 for s in (a, b, c)]
    return MU * sum(_square(e) for e in green) + LAMBDA / 2 * _square(sum(green))


def mooney_rivlin(a, b, c):
    volume = a * b * c
    first = (a * a + b * b + c * c) * cmath.exp(-2 / 3 * cmath.log(volume))
    second = (_square(a * b) + _square(b * c) + _square(c * a)) * cmath.exp(-4 / 3 * cmath.log(volume))
    return C10 * (first - 3) + C01 * (second - 3) + KAPPA / 2 * _square(volume - 1)


def polynomial(a, b, c):
    return MU * sum(_square(_square(s - 1)) for s in (a, b, c))


def spline(a, b, c):
    """The tables of spline.csv are straight lines: a' = 2 MU (x - 1), b' = BETA (x - 1), c' = LAMBDA (x - 1)."""
    pairs = BETA / 2 * sum(_square(x - 1) for x in (a * b, b * c, c * a))
    return fixed_corotated(a, b, c) + pairs


LAWS = {
    law.__name__: law
    for law in (
        strain,
        corotated,
        fixed_corotated,
        neohookean,
        stable_neohookean,
        stvk,
        mooney_rivlin,
        polynomial,
        spline,
    )
}


def keys(name, table):
    """Keys of the law for a deck of wring; table: the path of spline.csv."""
    own = {
        "strain": {"stiffness": MU},
        "mooney_rivlin": {"c10": C10, "c01": C01, "kappa": KAPPA},
        "polynomial": {"mu": MU},
        "spline": {"file": table},
    }
    found = {"model": name, **own.get(name, {"mu": MU, "lambda": LAMBDA})}
    return {f"material_{key}": value for key, value in found.items()}


def stress(law, stretches, i):
    """d psi/d s_i [Pa]: the nominal stress along axis i."""
    moved = [complex(s, TINY if i == j else 0) for j, s in enumerate(stretches)]
    return law(*moved).imag / TINY


def density(law, stretches):
    return complex(law(*map(complex, stretches))).real


def bisect(function, low, high):
    """A root of a function that changes its sign."""
    sign = function(low) > 0
    if sign == (function(high) > 0):
        raise ValueError(f"no change of sign from {low} to {high}")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


def free(law, fixed):
    """
    The stretch along z (fixed: those along x and y), or along y and z alike (fixed: the one along x), for which no
    stress acts there.
    """
    full = lambda s: (*fixed, *[s] * (3 - len(fixed)))
    return full(bisect(lambda s: stress(law, full(s), 2), 0.4, 1.3))


def shear_stress(law, amount):
    """Cauchy's sigma_xy in simple shear, J = 1: the derivative of psi in the amount of shear."""
    g = complex(amount, TINY)
    first = (g + cmath.sqrt(g * g + 4)) / 2
    return law(first, 1 / first, complex(1)).imag / TINY
