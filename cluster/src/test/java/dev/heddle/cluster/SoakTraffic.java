// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Numbered messages from this node to a sink at each other node, and the sink of this node.
///
/// A sink lives as long as its node. It sees the numbers of each life of each other node, across
/// all their sessions:
///
/// - a number that it has received before is a duplicate (C1);
/// - a number below the last one that it has not received is out of order (C2);
/// - numbers are missing only where a session has ended: each gap is written down, and each end,
///   with the last number that was accepted before it. [SoakGaps] compares them (C3).
final class SoakTraffic {
  /// @param from the sender's node
  /// @param life of that node
  record Numbered(String from, int life, int number) {}

  /// Asks a sink for the last number of a stream.
  record Mark(String from, int life) {}

  record Marked(int last) {}

  /// A stream of one life of a sender.
  private static final class Stream {
    final TreeMap<Integer, Integer> missing = new TreeMap<>(); // first and last of each gap
    int last;

    /// Whether it was not received before, and is taken for received now.
    boolean wasMissing(int number) {
      var gap = missing.floorEntry(number);
      if (gap == null || gap.getValue() < number) {
        return false;
      }
      missing.remove(gap.getKey());
      if (gap.getKey() < number) {
        missing.put(gap.getKey(), number - 1);
      }
      if (number < gap.getValue()) {
        missing.put(number + 1, gap.getValue());
      }
      return true;
    }
  }

  private record Life(String node, int life) {}

  /// The last message that was accepted for a node.
  ///
  /// @param mayBeOneMore whether the next one is just being offered
  record Accepted(int number, boolean mayBeOneMore) {}

  static final String SINKS = "sinks"; // a group
  private static final int MOST_AT_ONCE = 20;
  private static final long MOST_PAUSE_NANOS = 40_000_000;
  private static final Duration REPLY = Duration.ofSeconds(30);

  private final Cluster cluster;
  private final int life;
  private final SoakDeeds deeds;
  private final Map<String, Sender> senders = new TreeMap<>();
  private final AtomicLong delivered = new AtomicLong();
  private volatile boolean running;

  // under its monitor
  private final Map<Life, Stream> streams = new HashMap<>();

  /// @param deeds where gaps are written
  SoakTraffic(Cluster cluster, List<String> others, SoakDeeds deeds) {
    this.cluster = cluster;
    this.deeds = deeds;
    Pid sink = cluster.runtime().spawn(new Sink());
    this.life = sink.incarnation();
    cluster.group(SINKS).join(sink);
    for (String other : others) {
      Sender sender = new Sender(other);
      senders.put(other, sender);
      Thread.ofPlatform().daemon().name("sender-" + other).start(sender);
    }
  }

  void run(boolean on) {
    running = on;
  }

  long delivered() {
    return delivered.get();
  }

  /// The last message that was accepted for a node. It waits for nothing: when the session has
  /// ended and no other one is open, at most the one that is being offered comes to it.
  Accepted accepted(String node) {
    return senders.get(node).last();
  }

  /// Sends one more message to each other node and asks its sink for the last number.
  ///
  /// @return the longest time, in milliseconds
  /// @throws IllegalStateException when a session ended meanwhile; try again
  long mark() throws InterruptedException {
    long longest = 0;
    for (Sender sender : senders.values()) {
      longest = Math.max(longest, sender.mark());
    }
    return longest;
  }

  /// This node is about to leave: what was accepted by now must come, if it leaves in time.
  void leaves() {
    senders.forEach((name, sender) -> write(Kind.LEAVING, name, 0, sender.last().number, 0));
  }

  /// Writes down what has come. Nothing may be on its way.
  synchronized void judge() {
    streams.forEach((from, stream) -> write(Kind.LAST, from.node, from.life, stream.last, 0));
  }

  private void write(Kind kind, String from, int itsLife, int number, int before) {
    deeds.write(
        new Deed(deeds.node(), kind, System.nanoTime(), 0, from, itsLife, life, number, before));
  }

  private synchronized void received(Numbered message) {
    delivered.incrementAndGet();
    var from = new Life(message.from, message.life);
    Stream stream = streams.computeIfAbsent(from, _ -> new Stream());
    if (message.number <= stream.last && !stream.wasMissing(message.number)) {
      SoakNode.violation("duplicate: %s after %d".formatted(message, stream.last));
    } else if (message.number < stream.last) {
      SoakNode.violation("order: %s after %d".formatted(message, stream.last));
    } else if (message.number > stream.last + 1) {
      write(Kind.GAP, message.from, message.life, message.number, stream.last);
      stream.missing.put(stream.last + 1, message.number - 1);
    }
    stream.last = Math.max(stream.last, message.number);
  }

  private synchronized int last(Mark mark) {
    Stream stream = streams.get(new Life(mark.from, mark.life));
    return stream == null ? 0 : stream.last;
  }

  private final class Sink implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Numbered message) {
          received(message);
        } else if (event.data() instanceof Request request
            && request.message() instanceof Mark mark) {
          request.reply().complete(new Marked(last(mark)));
        }
      }
    }
  }

  private final class Sender implements Runnable {
    private final String to;
    private final Random random = new Random();

    // written under its monitor
    private volatile int number; // of the last message that was accepted
    private volatile boolean isOffering;

    Sender(String to) {
      this.to = to;
    }

    private Pid sink() {
      for (Pid sink : new ArrayList<>(cluster.group(SINKS).members())) {
        if (sink.node().equals(to)) {
          return sink;
        }
      }
      return null;
    }

    @Override
    public void run() {
      while (true) {
        LockSupport.parkNanos(random.nextLong(MOST_PAUSE_NANOS));
        Pid sink = running ? sink() : null;
        for (int i = random.nextInt(MOST_AT_ONCE); sink != null && i > 0; i--) {
          if (!send(sink)) {
            break;
          }
        }
      }
    }

    Accepted last() {
      boolean mayBeOneMore = isOffering; // before the number, which is written before it is false
      return new Accepted(number, mayBeOneMore);
    }

    private synchronized boolean send(Pid sink) {
      int next = number + 1;
      isOffering = true;
      SendResult result = cluster.runtime().offer(sink, new Numbered(cluster.name(), life, next));
      if (result.isAccepted()) {
        number = next;
      }
      isOffering = false;
      return result.isAccepted();
    }

    synchronized long mark() throws InterruptedException {
      long from = System.nanoTime();
      Pid sink = sink();
      if (sink == null || !send(sink)) {
        throw new IllegalStateException("no sink at " + to);
      }
      Object reply = cluster.runtime().ask(sink, new Mark(cluster.name(), life), REPLY);
      if (!new Marked(number).equals(reply)) {
        // In one session the question comes after the message; over two, the asker repeats it.
        throw new IllegalStateException(
            "%s has %s, and %d was accepted for it".formatted(to, reply, number));
      }
      return (System.nanoTime() - from) / 1_000_000;
    }
  }
}
