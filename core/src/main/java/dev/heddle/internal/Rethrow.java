// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

/// Throws checked exceptions where the compiler expects unchecked ones.
public final class Rethrow {
  private Rethrow() {}

  /// Throws `failure` as it is. Call it as `throw Rethrow.unchecked(failure)`, so that the compiler
  /// sees where control flow ends.
  ///
  /// @return never
  public static RuntimeException unchecked(Throwable failure) {
    return Rethrow.<RuntimeException>sneaky(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // erased: nothing is checked
  private static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
    throw (E) failure;
  }
}
