// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import dev.heddle.Action;
import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// Prints how many bytes of the heap one of many takes: its argument says of what.
///
/// The JVM counts the live objects of each class before and after. A class of which there is not
/// about one new object for each subject belongs to something else, such as the histogram itself.
public final class WaitMemoryProgram {
  static final String RECEIVER = "receiver";
  static final String MUTEX = "mutex";
  static final String CHANNEL = "channel";
  static final String CONTROL = "control"; // a receiver that keeps some bytes

  static final int ITEMS = 64;

  /// The bytes of the control: an array with a header of 16.
  static final int KEPT = 64;

  private static final int NUMBER = 5_000; // more than there are new objects for the histogram

  /// The sizes of objects are multiples of it.
  private static final int ALIGNMENT = 8;

  /// A line of the JVM's histogram: rank, objects, bytes, class.
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+)");

  private WaitMemoryProgram() {}

  /// Prints the number.
  public static void main(String[] args) {
    long bytes =
        Heddle.run(() ->
            switch (args[0]) {
              case RECEIVER -> receivers();
              case MUTEX -> mutexWaiters();
              case CHANNEL -> channels();
              case CONTROL -> receiversWithMore();
              default -> throw new IllegalArgumentException(args[0]);
            });
    System.out.println("bytes " + bytes);
  }

  private static long receivers() throws JMException {
    Channel<Object> channel = Channel.of(ITEMS);
    long bytes =
        waiting(() -> {
          channel.receive(); // in a frame as that of the waiters of the mutex
        });
    channel.close();
    return bytes;
  }

  private static long receiversWithMore() throws JMException {
    Channel<Object> channel = Channel.of(ITEMS);
    long bytes =
        waiting(() -> {
          int[] kept = new int[(KEPT - 16) / Integer.BYTES];
          try {
            channel.receive();
          } finally {
            Reference.reachabilityFence(kept);
          }
        });
    channel.close();
    return bytes;
  }

  private static long mutexWaiters() throws JMException {
    Mutex mutex = new Mutex();
    mutex.lock();
    long bytes =
        waiting(() -> {
          mutex.lock();
          mutex.unlock();
        });
    mutex.unlock();
    return bytes;
  }

  // filled: then the ring has its largest size
  private static long channels() throws JMException {
    Object item = new Object();
    Object[] channels = new Object[NUMBER];
    live();
    Map<String, Kind> before = live();
    for (int i = 0; i < NUMBER; i++) {
      channels[i] = full(item);
    }
    return grownSince(before);
  }

  private static Channel<Object> full(Object item) {
    Channel<Object> channel = Channel.of(ITEMS);
    boolean sent = true;
    while (sent) {
      sent = channel.trySend(item);
    }
    return channel;
  }

  /// Many coroutines that wait for one thing: their stacks, and all else that they need.
  private static long waiting(Action wait) throws JMException {
    begin(1, wait); // makes the queue
    live(); // what the JVM's histogram needs itself
    Map<String, Kind> before = live();
    begin(NUMBER, wait);
    return grownSince(before);
  }

  private static void begin(int number, Action wait) {
    for (int i = 0; i < number; i++) {
      Heddle.background(
          "waits",
          () -> {
            try {
              wait.run();
            } catch (ChannelClosedException _) {
              // safe: how the receivers end
            }
          });
    }
    Heddle.yieldNow();
  }

  /// The live objects of a class.
  private record Kind(long objects, long bytes) {
    static final Kind NONE = new Kind(0, 0);
  }

  private static Map<String, Kind> live() throws JMException {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    Map<String, Kind> live = new HashMap<>();
    for (MatchResult line : LINE.matcher(histogram.toString()).results().toList()) {
      Kind kind = new Kind(Long.parseLong(line.group(1)), Long.parseLong(line.group(2)));
      live.put(line.group(3), kind);
    }
    return live;
  }

  private static long grownSince(Map<String, Kind> before) throws JMException {
    long bytes = 0;
    for (Map.Entry<String, Kind> entry : live().entrySet()) {
      Kind old = before.getOrDefault(entry.getKey(), Kind.NONE);
      if (Math.round((double) (entry.getValue().objects() - old.objects()) / NUMBER) > 0) {
        bytes += ofOne(entry.getValue().bytes() - old.bytes());
      }
    }
    return bytes;
  }

  /// The nearest size that objects can have: what else the JVM makes and drops meanwhile is less.
  private static long ofOne(long bytes) {
    return ALIGNMENT * Math.round((double) bytes / NUMBER / ALIGNMENT);
  }
}
