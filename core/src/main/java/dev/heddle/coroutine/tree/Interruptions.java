// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;

/// What the JDK throws out of a wait that was interrupted.
final class Interruptions {
  private Interruptions() {}

  static boolean isOne(Throwable thrown) {
    return thrown instanceof InterruptedException
        || thrown instanceof ClosedByInterruptException
        || (thrown instanceof InterruptedIOException && !(thrown instanceof SocketTimeoutException))
        // a virtual thread interrupted in Socket.read: the JDK closes the socket and says so in
        // words only
        || (thrown instanceof SocketException && "Closed by interrupt".equals(thrown.getMessage()));
  }
}
