// SPDX-License-Identifier: Apache-2.0
package dev.heddle.failure;

/// Throws checked exceptions where the compiler expects none.
public final class Rethrow {
  private Rethrow() {}

  /// Throws `failure` as it is, as if it were unchecked. Declared to return what it throws, so that
  /// a caller writes `throw Rethrow.unchecked(e)` and the compiler sees that the path ends.
  public static RuntimeException unchecked(Throwable failure) {
    throw Rethrow.<RuntimeException>as(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
  private static <E extends Throwable> RuntimeException as(Throwable failure) throws E {
    throw (E) failure;
  }
}
