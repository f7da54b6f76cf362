// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Numbers as if by chance; the same ones in each run of a program.
final class Turns {
  private int turns;

  /// The next one, below `size`.
  int next(int size) {
    int mixed = ++turns * 0x9E3779B9; // golden ratio; the rest is MurmurHash3's finaliser
    mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
    mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
    return (int) (((mixed >>> 16) * (long) size) >>> 16);
  }
}
