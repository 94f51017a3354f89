#!/usr/bin/env python3
"""Synthesises the short demonstration tunes of a plucked string (Karplus-Strong) as 8-bit WAV files."""
import random, sys, wave
RATE = 11025
def pluck(freq, seconds, rng):
    n = int(RATE / freq); ring = [rng.uniform(-1, 1) for _ in range(n)]; out = []
    for i in range(int(RATE * seconds)):
        out.append(ring[0]); ring.append(0.4985 * (ring[0] + ring[1])); ring.pop(0)
    return out
def tune(path, notes, beat, seed):
    rng = random.Random(seed); total = sum(d for _, d in notes) * beat + 1.2; mix = [0.0] * int(RATE * total); at = 0
    for note, d in notes:
        if note is not None:
            for i, v in enumerate(pluck(440 * 2 ** ((note - 69) / 12), d * beat + 1.0, rng)):
                if at + i < len(mix): mix[at + i] += v
        at += int(RATE * d * beat)
    peak = max(abs(v) for v in mix) or 1
    with wave.open(path, 'wb') as w:
        w.setnchannels(1); w.setsampwidth(1); w.setframerate(RATE)
        w.writeframes(bytes(int(127.5 + 120 * v / peak) for v in mix))
out = sys.argv[1]
tune(f'{out}/skye-buchanan.wav', [(62,1),(66,.5),(69,.5),(74,1.5),(73,.5),(71,1),(69,1),(66,.5),(67,.5),(69,2)], .36, 1)
tune(f'{out}/keir-munro.wav', [(43,.5),(50,.5),(59,.5),(57,.5),(59,.5),(50,.5),(59,.5),(50,.5),(43,.5),(52,.5),(60,.5),(59,.5),(60,.5),(52,.5),(60,1.5)], .42, 2)
tune(f'{out}/tavish-begg.wav', [(69,.75),(69,.25),(71,.5),(73,.5),(74,.75),(76,.25),(73,.5),(69,.5),(71,.75),(69,.25),(67,.5),(71,.5),(69,2)], .4, 3)
