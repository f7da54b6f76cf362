// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import dev.heddle.eventloop.EventLoopTurns;
import dev.heddle.observe.log.AsyncLog;
import java.time.Duration;
import java.util.Objects;

/// The last turn of an event loop whose loop has ended with channels left. No coroutine can run any
/// more, and what a turn runs may wait: so a thread beside takes it.
///
/// @param of whose it is
/// @param turns the turns before it; one of them may have been left behind, and is waited for: else
///   two would be in the same pipelines
/// @param turn what is to be run
/// @param limit how long the loop's end waits for it; who is not done then goes on alone, and is
///   never waited for
record LastTurn(String of, EventLoopTurns turns, Runnable turn, Duration limit)
    implements Runnable {
  /// Takes it. By the carrier.
  @Override
  public void run() {
    Thread thread = start("heddle-netty-end", this::take);
    try {
      if (!thread.join(limit)) {
        AsyncLog.shared().call("the report of a handler that waits", () -> tellOf(thread));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // whoever ran the loop is to hear of it
    }
  }

  private void take() {
    try {
      turns.awaitLeftBehind();
    } catch (InterruptedException e) {
      throw new IllegalStateException("this thread cannot be found", e);
    }
    turn.run();
  }

  private static Thread start(String name, Runnable work) {
    return Thread.ofPlatform().daemon().name(name).start(work);
  }

  private void tellOf(Thread last) {
    Thread waiting = Objects.requireNonNullElse(turns.leftBehind(), last);
    StackTraceElement[] stack = waiting.getStackTrace();
    if (stack.length == 0) {
      return; // meanwhile it is done
    }
    var message = new StringBuilder(of);
    message.append(
        " is not notified of its end: its loop has ended and its sockets are shut down,");
    message.append(" but a handler or a task waits, on the thread ").append(waiting.getName());
    for (StackTraceElement frame : stack) {
      message.append("\n    at ").append(frame);
    }
    AsyncLog.shared().warning(message.toString(), null);
  }
}
