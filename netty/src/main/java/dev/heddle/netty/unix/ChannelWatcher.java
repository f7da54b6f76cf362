// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Operation;
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

/// Watches channels of the JDK's, whose numbers a driver cannot see, by a selector on a thread of
/// its own.
final class ChannelWatcher {
  /*
   * Each wait is a question, put to the thread; its answer comes back through `answers` and a wake-up of the driver, and counts only while
   * that operation waits: what was cancelled meanwhile is answered into the void. (The same operation put anew may get the older
   * answer; it was ready then, and whoever calls in vain waits again, as with every readiness.)
   * Interest is taken away with each answer, so nothing is told that nobody asked.
   *
   * Cost. Two wake-ups of threads for a wait that is not answered by what is there. Channels that are used much belong to Heddle.
   */

  /// A wait that was put to the thread, or came back from it.
  private record Wait(WatchedChannel channel, @Nullable Operation operation, int ops) {}

  /// A wait that is over.
  private record Answer(WatchedChannel channel, Operation operation, @Nullable IOException error) {}

  private final Runnable wakeup;
  private final Selector selector;
  private final Thread thread;

  // the loop: channels with a wait, some perhaps without one any more
  private final Set<WatchedChannel> waiting = new HashSet<>();

  // any thread
  private final Queue<Wait> questions = new ConcurrentLinkedQueue<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  /// What a key's channel is asked about.
  private static final class Asked {
    final WatchedChannel channel;
    @Nullable Operation input;
    @Nullable Operation output;

    Asked(WatchedChannel channel) {
      this.channel = channel;
    }
  }

  ChannelWatcher(Runnable wakeup) throws IOException {
    this.wakeup = wakeup;
    this.selector = Selector.open();
    this.thread = Thread.ofPlatform().daemon().name("heddle-channels").start(this::run);
  }

  WatchedChannel watch(SelectableChannel channel) {
    return new WatchedChannel(this, channel);
  }

  // ---- the loop's side ----

  void ask(WatchedChannel channel, Operation operation) {
    waiting.add(channel);
    put(new Wait(channel, operation, channel.ops(operation.kind())));
  }

  void forget(WatchedChannel channel) {
    put(new Wait(channel, null, 0));
  }

  /// Lets the selector forget what was closed: until then the system keeps the descriptor.
  void letGo() {
    selector.wakeup();
  }

  private void put(Wait question) {
    questions.add(question);
    selector.wakeup();
  }

  /// Gives what has come to `driver`.
  void deliver(UnixDriver driver) {
    for (Answer a = answers.poll(); a != null; a = answers.poll()) {
      WatchedChannel channel = a.channel();
      if (channel.input == a.operation()) {
        channel.input = null;
        driver.answer(a.operation(), a.error());
      } else if (channel.output == a.operation()) {
        channel.output = null;
        driver.answer(a.operation(), a.error());
      }
    }
    if (!waiting.isEmpty()) {
      tellOfClosed(driver);
    }
  }

  // a selector lets a closed channel go without a word
  private void tellOfClosed(UnixDriver driver) {
    waiting.removeIf(channel -> channel.input == null && channel.output == null);
    List<WatchedChannel> closed = new ArrayList<>(0);
    for (WatchedChannel channel : waiting) {
      if (!channel.channel().isOpen()) {
        closed.add(channel);
      }
    }
    for (WatchedChannel channel : closed) { // not within the loop above: who is told may ask anew
      waiting.remove(channel);
      Operation input = channel.input;
      Operation output = channel.output;
      channel.input = null;
      channel.output = null;
      if (input != null) {
        driver.answer(input, new AsynchronousCloseException());
      }
      if (output != null) {
        driver.answer(output, new AsynchronousCloseException());
      }
    }
  }

  /// Ends the thread.
  void close() {
    ended = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException _) {
      // safe: it ends by itself; whoever interrupts is told
      Thread.currentThread().interrupt();
    }
  }

  // ---- the thread ----

  private void run() {
    try (selector) {
      while (!ended) {
        for (Wait q = questions.poll(); q != null; q = questions.poll()) {
          take(q);
        }
        selector.select(this::ready);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("channels of other code are watched no more", e);
    }
  }

  private void take(Wait question) {
    WatchedChannel channel = question.channel();
    Operation operation = question.operation();
    SelectionKey key = channel.key;
    if (operation == null) {
      if (key != null) {
        key.cancel();
      }
      return;
    }
    try {
      if (key == null) {
        key = register(channel);
        channel.key = key;
      }
      note((Asked) key.attachment(), operation);
      key.interestOpsOr(question.ops());
    } catch (CancelledKeyException | ClosedChannelException _) {
      answer(channel, operation, new AsynchronousCloseException());
    } catch (IOException e) {
      answer(channel, operation, e);
    }
  }

  private SelectionKey register(WatchedChannel channel) throws IOException {
    try {
      return channel.channel().register(selector, 0, new Asked(channel));
    } catch (CancelledKeyException e) {
      if (!channel.channel().isOpen()) {
        throw e;
      }
      // watched no more a moment ago, and now again: the selector has yet to let the old key go
      selector.selectNow(this::ready);
      return channel.channel().register(selector, 0, new Asked(channel));
    }
  }

  private static void note(Asked asked, Operation operation) {
    if (operation.kind() == Operation.Kind.POLL_INPUT) {
      asked.input = operation;
    } else {
      asked.output = operation;
    }
  }

  private void ready(SelectionKey key) {
    Asked asked = (Asked) key.attachment();
    int ready = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    try {
      ready = key.readyOps();
      key.interestOpsAnd(~ready);
    } catch (CancelledKeyException _) {
      // safe: closed under us; whoever waits is told by his next call
    }
    Operation input = asked.input;
    Operation output = asked.output;
    if (input != null && (ready & (SelectionKey.OP_READ | SelectionKey.OP_ACCEPT)) != 0) {
      asked.input = null;
      answer(asked.channel, input, null);
    }
    if (output != null && (ready & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0) {
      asked.output = null;
      answer(asked.channel, output, null);
    }
  }

  private void answer(WatchedChannel channel, Operation operation, @Nullable IOException error) {
    answers.add(new Answer(channel, operation, error));
    wakeup.run();
  }
}
