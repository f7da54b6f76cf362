// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

/// A tree of which each node has ten children and each leaf a number, and what they add up to.
///
/// @param leaves a power of ten
public record Tree(long leaves) {
  /// How many children a node has.
  public static final int CHILDREN = 10;

  /// The largest with at most so many leaves.
  public static Tree within(long leaves) {
    long power = 1;
    while (power * CHILDREN <= leaves) {
      power *= CHILDREN;
    }
    return new Tree(power);
  }

  /// Looks whether the leaves' numbers, from 0, add up to this.
  ///
  /// @throws IllegalStateException when they do not
  public void check(long sum) {
    long wanted = leaves * (leaves - 1) / 2;
    if (sum != wanted) {
      throw new IllegalStateException("the leaves add up to " + sum + ", but should to " + wanted);
    }
  }
}
