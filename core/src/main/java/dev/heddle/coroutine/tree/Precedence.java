// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.failure.CarriedFailures;
import dev.heddle.failure.FailureTable;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which of two failures is thrown, and which is superseded.
public final class Precedence {
  private Precedence() {}

  /// The one to throw of a throwable and a later failure: the earlier one, unless it is superseded.
  static @Nullable Throwable first(@Nullable Throwable thrown, @Nullable Throwable failure) {
    if (thrown == null || failure == null || !isCancellation(thrown)) {
      return merged(thrown, failure);
    }
    transferCarried(thrown, failure);
    return failure;
  }

  /// The failures that a cancellation carries, as one throwable, which replaces the cancellation at
  /// its end; null: none.
  public static @Nullable Throwable carriedBy(Throwable cut) {
    return CarriedFailures.take(cut, attached -> isPartOf(cut, attached));
  }

  /// The same for a cancellation that may have been thrown before, as `first`.
  static @Nullable Throwable carriedBy(Throwable cut, @Nullable Cancellation first) {
    Throwable carried = carriedBy(cut);
    return first == null || first == cut ? carried : merged(carried, carriedBy(first));
  }

  /// `thrown` supersedes a cancellation; the report of `thrown` then includes what the cancellation
  /// carries.
  static void transferCarried(Throwable cut, Throwable thrown) {
    CarriedFailures.transferTo(cut, thrown, attached -> isPartOf(cut, attached));
  }

  // an interrupt closes the awaited channel or socket, so an exception about that is no failure
  private static boolean isPartOf(Throwable cut, Throwable attached) {
    boolean closed =
        attached instanceof ClosedChannelException
            || (attached instanceof SocketException
                && "Socket closed".equals(attached.getMessage()));
    return isCancellation(attached) || (closed && Interruptions.isCausedByInterrupt(cut));
  }

  /// Whether it is a cancellation, or the JDK's exception for an interrupt by one.
  static boolean isCancellation(@Nullable Throwable thrown) {
    return thrown instanceof Cancellation || (thrown != null && Interruptions.isInterrupt(thrown));
  }

  /// One throwable for the failures of several handlers, at least one.
  public static Throwable composite(List<Throwable> failures, String handlers) {
    return failures.size() == 1
        ? failures.getFirst()
        : new CompositeException(failures.size() + " " + handlers + " failed", failures);
  }

  /// The first of two failures; its report includes the other.
  public static @Nullable Throwable merged(
      @Nullable Throwable failure, @Nullable Throwable further) {
    if (failure != null && further != null) {
      FailureTable.merge(failure, further);
    }
    return failure == null ? further : failure;
  }

  /// The first of two failures of a scope. If it is the cancellation of another coroutine, which a
  /// member awaited, the other one supersedes it; otherwise the failure would be lost.
  static @Nullable Throwable ofScope(@Nullable Throwable failure, @Nullable Throwable further) {
    boolean givesWay = failure instanceof Cancellation && !(further instanceof Cancellation);
    return further != null && givesWay ? merged(further, failure) : merged(failure, further);
  }

  /// The one to throw of a throwable and of what an owner met as it left. A cancellation that comes
  /// second is postponed.
  static @Nullable Throwable earlier(@Nullable Throwable thrown, @Nullable Throwable met) {
    if (thrown == null || !(met instanceof Cancellation)) {
      return first(thrown, met);
    }
    transferCarried(met, thrown);
    return thrown;
  }
}
