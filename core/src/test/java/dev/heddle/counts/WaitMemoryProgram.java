// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import dev.heddle.Action;
import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.heap.HeapHistogram;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Map;
import javax.management.JMException;

/// Tells how many bytes of the heap one of many takes: its argument says of what.
public final class WaitMemoryProgram {
  static final String RECEIVER = "receiver";
  static final String MUTEX = "mutex";
  static final String CHANNEL = "channel";
  static final String PARKED = "parked"; // until a timer fires
  static final String CONTROL = "control"; // a receiver that keeps some bytes

  static final int ITEMS = 64;

  /// The bytes of the control: an array with a header of 16.
  static final int KEPT = 64;

  private static final int NUMBER = 5_000; // more than there are new objects for the histogram

  private WaitMemoryProgram() {}

  /// Tells it.
  public static void main(String[] args) {
    Map<String, Long> bytes =
        Heddle.run(() ->
            switch (args[0]) {
              case RECEIVER -> receivers();
              case MUTEX -> mutexWaiters();
              case CHANNEL -> channels();
              case PARKED -> waiting(() -> Heddle.delay(Duration.ofDays(1)));
              case CONTROL -> receiversWithMore();
              default -> throw new IllegalArgumentException(args[0]);
            });
    HeapHistogram.tell(bytes);
  }

  private static Map<String, Long> receivers() throws JMException {
    Channel<Object> channel = Channel.of(ITEMS);
    Map<String, Long> bytes =
        waiting(() -> {
          channel.receive(); // in a frame as that of the waiters of the mutex
        });
    channel.close();
    return bytes;
  }

  private static Map<String, Long> receiversWithMore() throws JMException {
    Channel<Object> channel = Channel.of(ITEMS);
    Map<String, Long> bytes =
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

  private static Map<String, Long> mutexWaiters() throws JMException {
    Mutex mutex = new Mutex();
    mutex.lock();
    Map<String, Long> bytes =
        waiting(() -> {
          mutex.lock();
          mutex.unlock();
        });
    mutex.unlock();
    return bytes;
  }

  // filled: then the ring has its largest size
  private static Map<String, Long> channels() throws JMException {
    Object item = new Object();
    Object[] channels = new Object[NUMBER];
    HeapHistogram.live();
    HeapHistogram before = HeapHistogram.live();
    for (int i = 0; i < NUMBER; i++) {
      channels[i] = full(item);
    }
    return HeapHistogram.live().ofOne(before, NUMBER);
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
  private static Map<String, Long> waiting(Action wait) throws JMException {
    begin(1, wait); // makes the queue
    HeapHistogram.live(); // what the JVM needs for one itself
    HeapHistogram before = HeapHistogram.live();
    begin(NUMBER, wait);
    return HeapHistogram.live().ofOne(before, NUMBER);
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
}
