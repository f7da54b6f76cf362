// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.failure.CarriedFailures;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/// Recognises what the JDK throws from a wait that was interrupted.
public final class Interruptions {
  private static final int DEEPEST = 16; // causes; a chain may be circular

  private Interruptions() {}

  /// Whether it is such a throwable, or a library's wrapper of one. The end of a cancelled inner
  /// block is neither: the block has reported it already.
  public static boolean isCausedByInterrupt(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof DeadlineException || cause instanceof WaitCancelledException) {
        return false;
      }
      if (isInterrupt(cause)) {
        return true;
      }
      cause = CarriedFailures.causeOf(cause);
    }
    return false;
  }

  /// Whether it is such a throwable, perhaps wrapped by a block of Heddle.
  public static boolean isInterrupt(@Nullable Throwable thrown) {
    return thrown instanceof InterruptedException
        // wrapped by an inner block that was not the cancelled one
        || (thrown instanceof CoroutineException wrapped && isInterrupt(wrapped.getCause()))
        || thrown instanceof ClosedByInterruptException
        || (thrown instanceof InterruptedIOException && !(thrown instanceof SocketTimeoutException))
        // a virtual thread interrupted in Socket.read: the JDK closes the socket and reports that
        // only in the message
        || (thrown instanceof SocketException && "Closed by interrupt".equals(thrown.getMessage()));
  }
}
