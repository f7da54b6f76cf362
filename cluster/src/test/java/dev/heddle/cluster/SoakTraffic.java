// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

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
/// - numbers are missing only where a session has ended. So there are at most as many gaps as ends
///   of sessions with that life, as this node was told (C3).
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
    int gaps;

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

  static final String SINKS = "sinks"; // a group
  private static final int MOST_AT_ONCE = 20;
  private static final long MOST_PAUSE_NANOS = 40_000_000;
  private static final Duration REPLY = Duration.ofSeconds(30);

  private final Cluster cluster;
  private final int life;
  private final Map<String, Sender> senders = new TreeMap<>();
  private final AtomicLong delivered = new AtomicLong();
  private volatile boolean running;

  // under its monitor
  private final Map<Life, Stream> streams = new HashMap<>();
  private final Map<Life, Integer> ends = new HashMap<>();

  SoakTraffic(Cluster cluster, List<String> others) {
    this.cluster = cluster;
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

  synchronized void ended(String node, int itsLife) {
    ends.merge(new Life(node, itsLife), 1, Integer::sum);
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

  /// Says where more is missing than sessions have ended. Nothing may be on its way.
  synchronized void judge() {
    streams.forEach((from, stream) -> {
      int ended = ends.getOrDefault(from, 0);
      if (stream.gaps > ended) {
        SoakNode.violation(
            "lost: %d gaps in the messages of %s, and %d sessions have ended"
                .formatted(stream.gaps, from, ended));
      }
    });
  }

  private synchronized void received(Numbered message) {
    delivered.incrementAndGet();
    var from = new Life(message.from, message.life);
    Stream stream = streams.computeIfAbsent(from, _ -> new Stream());
    if (message.number <= stream.last && !stream.wasMissing(message.number)) {
      SoakNode.violation("duplicate: %s after %d".formatted(message, stream.last));
    } else if (message.number < stream.last) {
      SoakNode.violation("order: %s after %d".formatted(message, stream.last));
    } else if (stream.last != 0 && message.number > stream.last + 1) {
      stream.gaps++;
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

    // under its monitor
    private int number; // of the last message that was accepted

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

    private synchronized boolean send(Pid sink) {
      var message = new Numbered(cluster.name(), life, number + 1);
      SendResult result = cluster.runtime().offer(sink, message);
      if (result.isAccepted()) {
        number++;
      }
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
