// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import org.jspecify.annotations.Nullable;

/// A node of an [EventQueue], created by the producer.
public abstract class Node {
  // the producer until the CAS, then the consumer
  @Nullable Node next;

  // Written before the CAS, constant after it. n is the number of messages in the stack from the
  // bottom up to this node, itself included. A message: 2n, or 2n + 1 with uncounted nodes among
  // them. An uncounted node: ~2n; a result: ~(2n + 1).
  int depth;

  /// What a process has put in, or null. For a simulation, which watches it.
  public @Nullable Object payload() {
    return null;
  }

  /// What tells it from other messages while each is recorded; 0: nothing.
  public int number() {
    return 0;
  }

  /// Whether it counts towards the bound.
  final boolean counts() {
    return depth >= 0;
  }

  /// Whether it is the result of a command of the consumer.
  final boolean isResult() {
    return depth < 0 && (depth & 1) == 0;
  }

  /// The number of counted nodes in its stack, up to it.
  final int counting() {
    return (depth < 0 ? ~depth : depth) >>> 1;
  }

  /// Whether there are uncounted nodes in its stack, up to it.
  final boolean hasUncounted() {
    return depth < 0 || (depth & 1) != 0;
  }
}
