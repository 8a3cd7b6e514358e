#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes state_space.json of this folder with numpy and scipy, independent of panto. See SOURCE.md."""
import json

import numpy as np
from scipy import linalg, signal

DT = 0.002


def actuator(frequency, damping):
    w = 2 * np.pi * frequency
    return (np.array([[0, 1], [-w * w, -2 * damping * w]]), np.array([[0], [w * w]]), np.array([[1.0, 0]]),
            np.zeros((1, 1)))


def table_with_load():
    """A shaking table of 40 kg driven through a spring, with a building of 25 kg on it; one input, two outputs."""
    m, ms, k, ks, c, cs = 40.0, 25.0, 8e5, 2e4, 3e3, 30.0
    a = np.array([[0, 1, 0, 0], [-(k + ks) / m, -(c + cs) / m, ks / m, cs / m], [0, 0, 0, 1],
                  [ks / ms, cs / ms, -ks / ms, -cs / ms]])
    return a, np.array([[0], [k / m], [0], [0]]), np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]]), np.zeros((2, 1))


def with_direct_term():
    return np.array([[-3.0, 2], [-50, -1]]), np.array([[1.0, 0.5], [0, 2]]), np.array([[1.0, 4]]), np.array([[0.3, -1]])


def late(a, b, c, dt, steps):
    """Input delayed by `steps` steps, by simulating with ten substeps held: an integer number of tenths."""
    tenths = round(10 * steps)
    fine = signal.cont2discrete((a, b, c, np.zeros((c.shape[0], b.shape[1]))), dt / 10, method="zoh")
    whole, part = divmod(tenths, 10)
    n, old = a.shape[0], whole + (1 if part else 0)
    big_a, big_b = np.zeros((n + old, n + old)), np.zeros((n + old, 1))
    for column in range(n + old + 1):  # each unit state and the unit input, one step on
        x = np.zeros(n)
        pipe = np.zeros(old + 1)  # newest command first
        if column < n:
            x[column] = 1
        elif column < n + old:
            pipe[column - n + 1] = 1
        else:
            pipe[0] = 1
        for i in range(10):
            acting = pipe[whole + (1 if i < part else 0)]
            x = fine[0] @ x + fine[1][:, 0] * acting
        column_of = np.concatenate([x, pipe[:old]])
        if column < n + old:
            big_a[:, column] = column_of
        else:
            big_b[:, 0] = column_of
    return big_a, big_b, np.hstack([c, np.zeros((c.shape[0], old))])


def lists(**matrices):
    return {name: np.atleast_2d(m).tolist() for name, m in matrices.items()}


out = {"dt_s": DT, "plants": []}
for name, plant in [("actuator", actuator(40, 0.7)), ("table_with_load", table_with_load()),
                    ("with_direct_term", with_direct_term())]:
    a, b, c, d = plant
    entry = {"name": name, **lists(A=a, B=b, C=c, D=d)}
    for method in ["zoh", "foh"]:
        ad, bd, cd, dd, _ = signal.cont2discrete(plant, DT, method=method)
        entry[method] = lists(A=ad, B=bd, C=cd, D=dd)
    if b.shape[1] == 1:
        entry["late"] = []
        for steps in [0.3, 1.0, 3.5]:
            la, lb, lc = late(a, b, c, DT, steps)
            q, r = lc[:1].T @ lc[:1], np.array([[1e-2]])
            x = linalg.solve_discrete_are(la, lb, q, r)
            k = linalg.solve(r + lb.T @ x @ lb, lb.T @ x @ la)
            # A constant disturbance at the input, learnt from the readings.
            n = la.shape[0]
            ka = np.block([[la, lb], [np.zeros((1, n)), np.ones((1, 1))]])
            kc = np.hstack([lc, np.zeros((lc.shape[0], 1))])
            w = np.diag(np.append(np.full(n, 1e-10), 1e-6))
            v = 1e-8 * (np.eye(lc.shape[0]) + 0.5 * np.ones((lc.shape[0], lc.shape[0])))
            p = linalg.solve_discrete_are(ka.T, kc.T, w, v)
            gain = p @ kc.T @ linalg.inv(kc @ p @ kc.T + v)
            # Servo: integrator of the first output in the state.
            ia = np.block([[la, np.zeros((n, 1))], [DT * lc[:1], np.ones((1, 1))]])
            ib = np.vstack([lb, [[0]]])
            iq = np.zeros((n + 1, n + 1))
            iq[:n, :n] = q
            iq[n, n] = 100.0
            ix = linalg.solve_discrete_are(ia, ib, iq, r)
            servo = linalg.solve(r + ib.T @ ix @ ib, ib.T @ ix @ ia)
            entry["late"].append({"steps": steps, **lists(A=la, B=lb, C=lc, lqr=k, kalman=gain, servo=servo)})
    response = []
    for f in [0.5, 7.0, 40.0, 180.0]:
        z = np.exp(2j * np.pi * f * DT)
        ad, bd, cd, dd, _ = signal.cont2discrete(plant, DT, method="zoh")
        h = cd @ np.linalg.solve(z * np.eye(len(ad)) - ad, bd) + dd
        response.append({"Hz": f, **lists(re=h.real, im=h.imag)})
    entry["response_zoh"] = response
    out["plants"].append(entry)

with open("state_space.json", "w", encoding="ascii", newline="\n") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
