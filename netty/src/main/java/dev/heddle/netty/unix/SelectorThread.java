// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.jdk.ChannelPoller;
import dev.heddle.reactor.jdk.JdkDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Polls JDK channels, whose descriptors a driver cannot access, by a selector on its own thread.
final class SelectorThread implements ChannelPoller {
  /*
   * Each wait is a request to the thread. Its report returns through `reports` and a wake-up of the
   * driver, and notifies the listeners that wait by then. So a report for an earlier, disarmed wait
   * may notify a listener, as with any readiness: its call would block, and it waits again. Each
   * report clears the interest, so nothing is reported without a request.
   *
   * Cost. Two thread wake-ups for each wait that is not over at once. Open frequently used channels
   * through Heddle instead.
   */
  /// @param ops operations to report; 0: none any more
  private record Request(JdkDescriptor descriptor, int ops) {}

  private record Report(JdkDescriptor descriptor, int ops, @Nullable IOException error) {}

  private final ReadinessCounts counts;
  private final Runnable wakeup;
  private final Selector selector;
  private final Thread thread;

  // loop only
  private final Set<JdkDescriptor> open = new HashSet<>(); // channels that the driver must close
  private final Set<JdkDescriptor> waiting = new HashSet<>(); // some may be disarmed

  // any thread
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final Queue<Report> reports = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  SelectorThread(ReadinessCounts counts, Runnable wakeup) throws IOException {
    this.counts = counts;
    this.wakeup = wakeup;
    this.selector = Selector.open();
    this.thread = Thread.ofPlatform().daemon().name("heddle-channels").start(this::run);
  }

  // ---- on the loop ----

  @Override
  public ReadinessCounts counts() {
    return counts;
  }

  @Override
  public void opened(JdkDescriptor descriptor) {
    if (descriptor.isOwner()) {
      open.add(descriptor);
    }
  }

  @Override
  public void armed(JdkDescriptor descriptor, Direction direction) {
    waiting.add(descriptor);
    requests.add(new Request(descriptor, descriptor.ops(direction)));
    selector.wakeup();
  }

  @Override
  public void closed(JdkDescriptor descriptor) {
    if (descriptor.isOwner()) {
      open.remove(descriptor);
    } else {
      requests.add(new Request(descriptor, 0));
    }
    // the descriptor stays open until the selector deregisters the closed channel
    selector.wakeup();
  }

  void deliver() {
    for (Report r = reports.poll(); r != null; r = reports.poll()) {
      r.descriptor().complete(r.ops(), r.error());
    }
    if (!waiting.isEmpty()) {
      notifyOfClosed();
    }
  }

  // a selector does not report closed channels
  private void notifyOfClosed() {
    waiting.removeIf(descriptor -> descriptor.wanted() == 0);
    List<JdkDescriptor> closed = new ArrayList<>(0);
    for (JdkDescriptor descriptor : waiting) {
      if (!descriptor.channel().isOpen()) {
        closed.add(descriptor);
      }
    }
    for (JdkDescriptor descriptor : closed) { // after the loop above: a listener may arm itself
      waiting.remove(descriptor);
      descriptor.complete(descriptor.wanted(), new AsynchronousCloseException());
    }
  }

  void close() {
    List.copyOf(open).forEach(JdkDescriptor::close);
    ended = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException _) {
      // safe: the thread ends by itself; the caller sees the interrupt
      Thread.currentThread().interrupt();
    }
  }

  // ---- on the thread ----

  private void run() {
    try (selector) {
      while (!ended) {
        for (Request r = requests.poll(); r != null; r = requests.poll()) {
          serve(r);
        }
        selector.select(this::ready);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("channels of other code are no longer polled", e);
    }
  }

  private void serve(Request request) {
    JdkDescriptor descriptor = request.descriptor();
    try {
      if (request.ops() == 0) {
        forget(descriptor);
      } else {
        register(descriptor, request.ops());
      }
    } catch (CancelledKeyException | ClosedChannelException _) {
      report(descriptor, request.ops(), new AsynchronousCloseException());
    } catch (IOException e) {
      report(descriptor, request.ops(), e);
    }
  }

  private void forget(JdkDescriptor descriptor) {
    SelectionKey key = descriptor.channel().keyFor(selector);
    if (key != null && key.attachment() == descriptor) {
      key.cancel();
    }
  }

  private void register(JdkDescriptor descriptor, int ops) throws IOException {
    SelectableChannel channel = descriptor.channel();
    SelectionKey key = channel.keyFor(selector);
    if (key != null && !key.isValid()) {
      // deregistered and registered again: the selector must first remove the old key
      selector.selectNow(this::ready);
      key = null;
    }
    channel.register(selector, key == null ? ops : key.interestOps() | ops, descriptor);
  }

  private void ready(SelectionKey key) {
    int ready = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    try {
      ready = key.readyOps();
      key.interestOpsAnd(~ready);
    } catch (CancelledKeyException _) {
      // safe: closed concurrently; the listeners' next calls report it
    }
    report((JdkDescriptor) key.attachment(), ready, null);
  }

  private void report(JdkDescriptor descriptor, int ops, @Nullable IOException error) {
    reports.add(new Report(descriptor, ops, error));
    wakeup.run();
  }
}
