#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes nearest_zeros.csv: of 10^5 real and 10^5 complex random polynomials the 1 % whose zeros lie nearest to the
unit circle, with the count of zeros outside from 40-digit roots of the rounded coefficients. Needs mpmath.
    python3 make_nearest.py > nearest_zeros.csv
The generator is that of tests/support/random_polynomials.hpp, operation for operation (IEEE doubles, no contraction)."""
import math
import sys

import mpmath

MASK = (1 << 64) - 1


class Numbers:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def direction(self):
        while True:
            a = 2.0 * self.uniform() - 1.0
            b = 2.0 * self.uniform() - 1.0
            s = a * a + b * b
            if 1e-4 < s <= 1.0:
                length = math.sqrt(s)
                return a / length, b / length

    def radius(self, inside):
        if self.uniform() < 0.25:
            return 1.0 - 1e-4 if inside or self.uniform() < 0.5 else 1.0 + 1e-4
        return (1.0 if inside else 1.5) * math.sqrt(self.uniform())


def from_roots(roots):
    b = [0j] * (len(roots) + 1)
    b[0] = 1 + 0j
    for i, r in enumerate(roots):
        for k in range(i + 1, -1, -1):
            b[k] = (b[k - 1] if k > 0 else 0j) - r * b[k]
    return b


def real_from_roots(real, pairs, n):
    b = [0.0] * (n + 1)
    b[0] = 1.0
    degree = 0
    for c0, c1, by in [(-x, 0.0, 1) for x in real] + [(z.real * z.real + z.imag * z.imag, -2.0 * z.real, 2) for z in pairs]:
        degree += by
        for k in range(degree, -1, -1):
            down1 = b[k - 1] if k >= 1 else 0.0
            down2 = b[k - 2] if k >= 2 else 0.0
            b[k] = down1 + c0 * b[k] if by == 1 else down2 + c1 * down1 + c0 * b[k]
    return b


def sample(numbers, is_real):
    n = 1 + int(8.0 * numbers.uniform())
    inside = numbers.uniform() < 0.5
    radii, real, pairs, left = [], [], [], n
    while left > 0:
        r = numbers.radius(inside)
        radii.append(r)
        if is_real and (left == 1 or numbers.uniform() < 0.5):
            real.append(r if numbers.uniform() < 0.5 else -r)
            left -= 1
            continue
        c, s = numbers.direction()
        pairs.append(complex(r * c, r * s))
        left -= 2 if is_real else 1
    b = real_from_roots(real, pairs, n) if is_real else from_roots(pairs)
    distances = [abs(r - 1.0) for r in radii]
    return (round(min(distances), 12), -sum(d < 1.5e-4 for d in distances)), b


def exact(x):
    m, e = math.frexp(x)
    return mpmath.mpf(int(m * 2**53)) * mpmath.mpf(2) ** (e - 53)


def main():
    mpmath.mp.dps = 40
    print("kind,index,outside,smallest distance to the circle,coefficients from z^0 up (complex: real and imaginary)")
    for kind, is_real, seed in (("real", True, 1), ("complex", False, 2)):
        numbers = Numbers(seed)
        samples = [sample(numbers, is_real) for _ in range(100000)]
        nearest = sorted(range(len(samples)), key=lambda i: (samples[i][0], i))[:1000]
        for i in sorted(nearest):
            b = samples[i][1]
            c = [exact(x) if is_real else mpmath.mpc(exact(x.real), exact(x.imag)) for x in reversed(b)]
            zeros, error = mpmath.polyroots(c, maxsteps=2000, extraprec=400, error=True)
            assert error < mpmath.mpf(10) ** -30, error
            distance = [abs(z) - 1 for z in zeros]
            numbers_out = b if is_real else [part for x in b for part in (x.real, x.imag)]
            print(kind, i, sum(d > 0 for d in distance), mpmath.nstr(min(abs(d) for d in distance), 6),
                  *(float(x).hex() for x in numbers_out), sep=",")
            sys.stdout.flush()


main()
