// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/// What the JDK throws out of a wait that was interrupted.
public final class Interruptions {
  private static final int DEEPEST = 16; // causes; a chain may be a circle

  private Interruptions() {}

  /// Whether it is one, or what a library has made of one. The end of an inner block that was cut
  /// is neither: it has said so itself.
  static boolean isCausedByInterrupt(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof DeadlineException || cause instanceof WaitCancelledException) {
        return false;
      }
      if (isInterrupt(cause)) {
        return true;
      }
      cause = causeOf(cause);
    }
    return false;
  }

  // a class of the program's may answer with an exception
  private static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable _) {
      return null; // safe: what cannot be asked for its cause has none that is known here
    }
  }

  /// Whether it is one, perhaps wrapped by a block of ours.
  public static boolean isInterrupt(@Nullable Throwable thrown) {
    return thrown instanceof InterruptedException
        // wrapped by an inner block, which was not the one to be cancelled
        || (thrown instanceof CoroutineException wrapped && isInterrupt(wrapped.getCause()))
        || thrown instanceof ClosedByInterruptException
        || (thrown instanceof InterruptedIOException && !(thrown instanceof SocketTimeoutException))
        // a virtual thread interrupted in Socket.read: the JDK closes the socket and says so in
        // words only
        || (thrown instanceof SocketException && "Closed by interrupt".equals(thrown.getMessage()));
  }
}
