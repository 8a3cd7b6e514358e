#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the files of this folder with numpy and scipy, independent of panto. See SOURCE.md."""
import numpy as np
from scipy import signal

DT = 0.002
FS = 1.0 / DT


def write(name, header, columns):
    rows = zip(*columns)
    with open(name, "w", encoding="ascii", newline="\n") as out:
        out.write(",".join(header) + "\n")
        for row in rows:
            out.write(",".join(f"{value:.17g}" for value in row) + "\n")


# A contact force as it looks, 307 samples (a prime, so no transform of power-of-two length fits): mean, span passing
# and dropper passing components, a trend, noise from a fixed generator, and a loss of contact.
n = 307
t = DT * np.arange(n)
noise = np.random.default_rng(50318).standard_normal(n)
force = 120 + 30 * np.sin(2 * np.pi * 1.3 * t) + 25 * np.sin(2 * np.pi * 12 * t + 1) + 15 * np.sin(2 * np.pi * 41 * t)
force = np.maximum(0.0, force + 40 * t + 8 * noise)
force[200:205] = 0.0

raised = 20 * (np.sqrt(2) - 1) ** (-1 / 6)
zero_phase_3db = signal.sosfiltfilt(signal.butter(3, raised, fs=FS, output="sos"), force)
zero_phase_6db = signal.sosfiltfilt(signal.butter(3, 20, fs=FS, output="sos"), force)
sos6 = signal.butter(6, 20, fs=FS, output="sos")
causal6, _ = signal.sosfilt(sos6, force, zi=signal.sosfilt_zi(sos6) * force[0])
spectrum = np.fft.rfft(force)
frequency = np.fft.rfftfreq(n, DT)
brick_wall = np.fft.irfft(np.where(frequency > 20, 0, spectrum), n)
write("filters.csv",
      ["force_N", "butterworth3_zero_phase_3db_N", "butterworth3_zero_phase_6db_N", "butterworth6_causal_N",
       "fft_brick_wall_N"],
      [force, zero_phase_3db, zero_phase_6db, causal6, brick_wall])

amplitude = np.abs(spectrum) / n
amplitude[1:] *= 2
write("spectrum.csv", ["frequency_Hz", "amplitude_N"], [frequency, amplitude])

impulse = np.zeros(60)
impulse[0] = 1.0
orders = [1, 2, 3, 4, 5, 8, 13]
responses = [signal.sosfilt(signal.butter(order, 20, fs=FS, output="sos"), impulse) for order in orders]
write("impulse_responses.csv", [f"order_{order}" for order in orders], responses)
