// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.failure.CarriedFailures;
import dev.heddle.failure.FailureTable;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// Which of two failures is thrown, and which gives way to it.
public final class Precedence {
  private Precedence() {}

  /// What to throw of what was thrown and a failure that came later: the earlier one, unless it
  /// gives way.
  static @Nullable Throwable first(@Nullable Throwable thrown, @Nullable Throwable failure) {
    if (thrown == null || failure == null || !isCancellation(thrown)) {
      return merged(thrown, failure);
    }
    transferCarried(thrown, failure);
    return failure;
  }

  /// What takes the place of a cancellation that has come to its end: the failures that it carries,
  /// as one; null when it carries none.
  public static @Nullable Throwable carriedBy(Throwable cut) {
    return CarriedFailures.take(cut, attached -> isPartOf(cut, attached));
  }

  /// The same of a cancellation that may have been thrown several times.
  ///
  /// @param first what was thrown the first time; null: the same
  static @Nullable Throwable carriedBy(Throwable cut, @Nullable Cancellation first) {
    Throwable carried = carriedBy(cut);
    return first == null || first == cut ? carried : merged(carried, carriedBy(first));
  }

  /// A cancellation gives way to `thrown`, which then has in its report what that one carries.
  static void transferCarried(Throwable cut, Throwable thrown) {
    CarriedFailures.transferTo(cut, thrown, attached -> isPartOf(cut, attached));
  }

  // an interrupt closes the channel or socket that was waited for: that it is closed is no news
  private static boolean isPartOf(Throwable cut, Throwable attached) {
    boolean closed =
        attached instanceof ClosedChannelException
            || (attached instanceof SocketException
                && "Socket closed".equals(attached.getMessage()));
    return isCancellation(attached) || (closed && Interruptions.isCausedByInterrupt(cut));
  }

  /// Whether it is a cancellation, or what the JDK makes of interrupts for their sake.
  static boolean isCancellation(@Nullable Throwable thrown) {
    return thrown instanceof Cancellation || (thrown != null && Interruptions.isInterrupt(thrown));
  }

  /// Of two failures the first, which has the other in its report.
  public static @Nullable Throwable merged(
      @Nullable Throwable failure, @Nullable Throwable further) {
    if (failure != null && further != null) {
      FailureTable.merge(failure, further);
    }
    return failure == null ? further : failure;
  }

  /// Of two failures of a scope the first; a cancellation, of somebody else in whom it was awaited,
  /// gives way to the other, or whatever it met on its way would be lost with it.
  static @Nullable Throwable ofScope(@Nullable Throwable failure, @Nullable Throwable further) {
    boolean givesWay = failure instanceof Cancellation && !(further instanceof Cancellation);
    return further != null && givesWay ? merged(further, failure) : merged(failure, further);
  }

  /// What to throw of what was thrown and what an owner met as it left. A cancellation that comes
  /// second is no news: it is to be postponed.
  static @Nullable Throwable earlier(@Nullable Throwable thrown, @Nullable Throwable met) {
    if (thrown == null || !(met instanceof Cancellation)) {
      return first(thrown, met);
    }
    transferCarried(met, thrown);
    return thrown;
  }
}
