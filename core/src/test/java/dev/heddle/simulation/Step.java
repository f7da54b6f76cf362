// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import org.jspecify.annotations.Nullable;

/// Something that a random program does, and that may throw anything.
@FunctionalInterface
interface Step {
  /// Does it.
  void take() throws Exception;

  /// What it throws, if anything.
  static @Nullable Throwable outcomeOf(Step step) {
    try {
      step.take();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  /// Throws what is there.
  static void rethrow(@Nullable Throwable outcome) {
    if (outcome != null) {
      throw Step.<RuntimeException>sneaky(outcome);
    }
  }

  /// What something threw, in words.
  static String nameOf(@Nullable Throwable thrown) {
    return thrown == null
        ? "nothing"
        : thrown.getClass().getSimpleName() + " '" + thrown.getMessage() + "'";
  }

  /// Throws anything as if it were unchecked.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
  static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
    throw (E) failure;
  }
}
