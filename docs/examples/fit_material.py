"""Fits Young's modulus and Poisson's ratio of a rubber pad between two plates to the forces that a press has measured:

    PYTHONPATH=DIR/lib/python3/dist-packages python3 fit_material.py

The pad is glued to both plates, so that the compression depends on both constants, and the shear on the first alone.
The measured forces are those of young 250 kPa and poisson 0.45, with errors of 1 %.
"""
import numpy as np
import scipy.optimize

import wring

compression = np.array([-61.95, -135.8, -223.2, -325.7, -455.2])  # N, at 1 to 5 tenths of the way
shear = np.array([13.68, 26.9, 41.04, 54.73, 68.0])
deck = {
    "mesh": {"box": {"size": [0.04, 0.04, 0.01], "cells": [8, 8, 3]}},  # m
    "material": {"model": "neohookean", "density": 1100},
    "attach": {"zmin": {"hard": True}, "zmax": {"hard": True}},
    "time": {"integrator": "static", "steps": 5},
    "probe": {"plate": {"set": "zmax"}},
}


def force(way, component, young, poisson):
    """The force on the upper plate [N] at each load step, while it moves along `way` [m]."""
    keys = {"material": {"young": young, "poisson": poisson}, "attach_zmax_velocity": way}
    with wring.Problem(deck, keys) as pad:
        curve = []
        for _ in range(pad.steps):
            pad.step()
            curve.append(pad.probes[f"plate_f{component}"])
        return np.array(curve)


def misfit(unknown):
    """Relative errors of all forces; the unknowns are the modulus in MPa and the ratio."""
    young, poisson = 1e6 * unknown[0], unknown[1]
    pressed = force([0, 0, -0.003], "z", young, poisson)
    sheared = force([0.005, 0, 0], "x", young, poisson)
    return np.concatenate([pressed / compression - 1, sheared / shear - 1])


fit = scipy.optimize.least_squares(misfit, [0.1, 0.3], bounds=([0.01, 0.0], [10, 0.49]), x_scale=[0.1, 0.1])
print(f"{fit.nfev} trials, largest error of a force {abs(fit.fun).max():.1%}")
print(f"young {1e6 * fit.x[0]:.0f} poisson {fit.x[1]:.4f}")
