// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.Heddle;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.routing.LocalPid;
import dev.heddle.process.routing.Receiver;
import dev.heddle.process.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A mailbox of a coroutine: processes and other senders use its PID as that of a process. Messages
/// to a mailbox that is full or closed are refused.
///
/// It is not a process: it cannot be linked or monitored, and gets no signals.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=mailbox}
///
/// @since 0.1
public final class CoroutineMailbox implements AutoCloseable {
  private final RoutingTable routes;
  private final Pid pid;
  private final int capacity;
  private final SpinLock lock = new SpinLock();
  // under the lock
  private final ArrayDeque<Slot> messages = new ArrayDeque<>();
  private CompletableFuture<@Nullable Void> arrival = new CompletableFuture<>();
  private @Nullable String closed; // how, for the message

  private record Slot(@Nullable Object message) {}

  /// @param capacity how many messages may wait, at least 1
  CoroutineMailbox(RoutingTable routes, long id, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a mailbox holds at least one message: " + capacity);
    }
    this.routes = routes;
    this.capacity = capacity;
    Receiver receiver = new Inlet();
    this.pid = new LocalPid(routes.address(id), receiver);
    routes.attach(pid, receiver);
  }

  /// Its address. **Thread** any.
  public Pid pid() {
    return pid;
  }

  private final class Inlet implements Receiver {
    @Override
    public SendResult receive(@Nullable Object message) {
      return put(message);
    }

    @Override
    public void closed() {
      close("was closed by the shutdown of its runtime; end before it", SendResult.CLOSED);
    }
  }

  private SendResult put(@Nullable Object message) {
    CompletableFuture<@Nullable Void> wake;
    lock.lock();
    try {
      if (closed != null) {
        return SendResult.NOT_FOUND;
      }
      if (messages.size() == capacity) {
        return SendResult.FULL;
      }
      messages.addLast(new Slot(message));
      wake = arrival;
    } finally {
      lock.unlock();
    }
    wake.complete(null);
    return SendResult.ACCEPTED;
  }

  /// The next message. **Suspends** until there is one. **Cancelled** no message is lost.
  /// **Thread** a coroutine's.
  ///
  /// @return a message, or a [Request] whose sender waits for a reply
  /// @throws IllegalStateException when the mailbox is closed, also by the shutdown of its runtime
  public @Nullable Object receive() {
    while (true) {
      CompletableFuture<@Nullable Void> next;
      String by;
      lock.lock();
      try {
        Slot slot = messages.pollFirst();
        if (slot != null) {
          return slot.message();
        }
        by = closed;
        if (arrival.isDone()) {
          arrival = new CompletableFuture<>();
        }
        next = arrival;
      } finally {
        lock.unlock();
      }
      if (by != null) {
        throw new IllegalStateException("mailbox " + pid + " " + by);
      }
      Heddle.await(next);
    }
  }

  /// How many messages wait. **Thread** any.
  public int size() {
    lock.lock();
    try {
      return messages.size();
    } finally {
      lock.unlock();
    }
  }

  /// Closes the mailbox and its address. Waiting messages are dropped; requests among them fail.
  /// The shutdown of the runtime does the same. **Thread** any.
  @Override
  public void close() {
    close("is closed; receive before, or open a new one", SendResult.NOT_FOUND);
  }

  private void close(String by, SendResult forThose) {
    List<Slot> left;
    CompletableFuture<@Nullable Void> wake;
    lock.lock();
    try {
      closed = closed == null ? by : closed;
      left = new ArrayList<>(messages);
      messages.clear();
      wake = arrival;
    } finally {
      lock.unlock();
    }
    var _ = routes.detach(pid);
    wake.complete(null);
    for (Slot slot : left) {
      if (slot.message() instanceof Request request) {
        var _ = request.reply().fail(new SendFailedException(pid, forThose));
      }
    }
  }
}
