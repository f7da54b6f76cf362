// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import dev.heddle.eventloop.EventLoopTurns;
import dev.heddle.observe.log.AsyncLog;
import java.time.Duration;
import java.util.Objects;

/// The last turn of an event loop whose loop has ended with open channels. It may wait, and no
/// coroutine can run any more, so it runs on its own thread.
///
/// @param of name of the event loop
/// @param turns the turns before it; an abandoned one is waited for, because two turns must not be
///   in the same pipelines
/// @param turn the task to run
/// @param limit how long the loop's end waits for it; after that it continues unattended
record LastTurn(String of, EventLoopTurns turns, Runnable turn, Duration limit)
    implements Runnable {
  /// Starts the turn and waits for it. Called by the carrier.
  @Override
  public void run() {
    Thread thread = Thread.ofPlatform().daemon().name("heddle-netty-end").start(this::take);
    try {
      if (!thread.join(limit)) {
        AsyncLog.shared().call("the report of a handler that waits", () -> report(thread));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // keep the interrupt for the caller of the loop
    }
  }

  private void take() {
    try {
      turns.awaitLeftBehind();
    } catch (InterruptedException e) {
      throw new IllegalStateException("not a thread of an event loop", e);
    }
    turn.run();
  }

  private void report(Thread last) {
    Thread waiting = Objects.requireNonNullElse(turns.leftBehind(), last);
    StackTraceElement[] stack = waiting.getStackTrace();
    if (stack.length == 0) {
      return; // it has ended meanwhile
    }
    var message =
        new StringBuilder(of)
            .append(
                " is not notified of its end: its loop has ended and its sockets are shut down,")
            .append(" but a handler or a task waits, on the thread ")
            .append(waiting.getName());
    for (StackTraceElement frame : stack) {
      message.append("\n    at ").append(frame);
    }
    AsyncLog.shared().warning(message.toString(), null);
  }
}
