// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.util.Random;
import java.util.function.LongSupplier;

/// Builders whose supervisors read the time of a test, and roll its dice.
public final class TestClock {
  private TestClock() {}

  /// A builder whose supervisor reads `nanos`.
  public static Supervisor.Builder supervisor(LongSupplier nanos) {
    return Supervisor.builder().sources(nanos, new Random(1));
  }

  /// The same builder; its supervisor reads `nanos`.
  public static <A> DynamicSupervisor.Builder<A> set(
      DynamicSupervisor.Builder<A> builder, LongSupplier nanos) {
    return builder.sources(nanos, new Random(1));
  }
}
