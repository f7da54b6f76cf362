// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.CountingHome;
import dev.heddle.heap.HeapHistogram;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.reactor.TimerQueue;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import dev.heddle.sync.RateLimiter;
import dev.heddle.sync.Semaphore;
import dev.heddle.thread.ThreadChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Tells what one call of many allocates: its argument says which.
public final class AllocationProgram {
  private static final int NUMBER = 20_000; // more than there are new objects for the histogram

  // over as soon as the loop looks, but not before it has armed a timer
  private static final Duration MOMENT = Duration.ofNanos(1);
  private static final int REQUEST_BYTES = 64;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long SOME_TICKS = 5_000_000; // nanoseconds
  private static final CountingHome HOME = new CountingHome();
  private static final TimerQueue WHEEL = new TimerQueue(0, true);

  private AllocationProgram() {}

  /// What is called.
  public enum Subject {
    /// For a coroutine that has ended.
    AWAIT {
      @Override
      Action make() {
        Coroutine<String> done = Heddle.spawn(() -> "done");
        done.await();
        return done::await;
      }
    },
    /// There and back: another one is ready.
    SUSPEND {
      @Override
      Action make() {
        Heddle.background("other", AllocationProgram::suspendForEver);
        return Heddle::yieldNow;
      }
    },
    /// Without contention.
    MUTEX {
      @Override
      Action make() {
        Mutex mutex = new Mutex();
        return () -> {
          mutex.lock();
          mutex.unlock();
        };
      }
    },
    /// Without waiting.
    CHANNEL {
      @Override
      Action make() {
        Channel<String> channel = Channel.of(8);
        return () -> {
          channel.send("item");
          channel.receive();
        };
      }
    },
    /// To a coroutine that waits for it.
    HAND_OVER {
      @Override
      Action make() {
        Channel<String> channel = Channel.of(0);
        Heddle.background("receiver", () -> receiveForEver(channel));
        return () -> channel.send("item");
      }
    },
    /// Of a request over TCP, by the client and the server.
    ECHO {
      @Override
      Action make() throws IOException {
        AsyncIo client = connect();
        ByteBuffer buffer = ByteBuffer.allocateDirect(REQUEST_BYTES);
        return () -> {
          client.write(buffer.clear());
          client.read(buffer.clear());
        };
      }
    },
    /// Without contention.
    SEMAPHORE {
      @Override
      Action make() {
        Semaphore semaphore = new Semaphore(2);
        return () -> {
          semaphore.acquire(2);
          semaphore.release(2);
        };
      }
    },
    /// Without waiting: all at once.
    RATE_LIMITER {
      @Override
      Action make() {
        RateLimiter limiter = RateLimiter.of(1_000_000_000, Duration.ofSeconds(1));
        return limiter::acquire;
      }
    },
    /// Without waiting.
    THREAD_CHANNEL {
      @Override
      Action make() {
        ThreadChannel<String> channel = ThreadChannel.of(8);
        return () -> {
          channel.send("item");
          channel.receive();
        };
      }
    },
    /// Armed and cancelled: one that is due within the tick, and one in an hour.
    TIMERS {
      @Override
      Action make() {
        TimerEvent soon = new TimerEvent(HOME, WHEEL, 1, false);
        TimerEvent later = new TimerEvent(HOME, WHEEL, HOUR.toNanos(), false);
        return () -> {
          soon.start();
          later.start();
          soon.stop();
          later.stop();
        };
      }
    },
    /// Armed and fired, alone in its tick of the wheel.
    LONE_TIMER {
      @Override
      Action make() {
        long[] now = new long[1];
        return () -> {
          now[0] += SOME_TICKS;
          new TimerEvent(HOME, WHEEL, now[0], false).start();
          WHEEL.advance(now[0]);
        };
      }
    },
    /// Until the loop fires its timer.
    DELAY {
      @Override
      Action make() {
        return () -> Heddle.delay(MOMENT);
      }
    },
    /// Until the loop fires the timer that the JDK has asked for.
    SLEEP {
      @Override
      Action make() {
        return () -> LockSupport.parkNanos(1); // as Thread.sleep does, perhaps several times
      }
    },
    /// There and back, each with a limit that does not come: two timers that are cancelled.
    POLL {
      @Override
      Action make() {
        BlockingQueue<String> there = new ArrayBlockingQueue<>(1);
        BlockingQueue<String> back = new ArrayBlockingQueue<>(1);
        Heddle.background("other", () -> echo(there, back));
        return () -> {
          there.add("item");
          poll(back);
        };
      }
    },
    /// And its end, which comes before the limit of the wait for it.
    SPAWN_WITH_LIMIT {
      @Override
      Action make() {
        Deadline limit = Deadline.after(HOUR);
        return () -> Heddle.spawn(() -> "done").await(limit);
      }
    },
    /// And its end.
    SPAWN {
      @Override
      Action make() {
        return () -> Heddle.spawn(() -> "done").await();
      }
    },
    /// Of an object: a measure that sees nothing proves nothing.
    CONTROL {
      @Override
      Action make() {
        Object[] kept = new Object[1];
        return () -> kept[0] = new Object();
      }
    };

    abstract Action make() throws Exception;
  }

  /// Tells it.
  public static void main(String[] args) {
    tell(Subject.valueOf(args[0])::make);
  }

  /// Tells what one call allocates in a coroutine.
  ///
  /// @param make makes the call
  public static void tell(Body<Action> make) {
    HeapHistogram.tell(Heddle.run(() -> ofOne(make.run())));
  }

  private static Map<String, Long> ofOne(Action call) throws Exception {
    run(call); // classes, queues and stacks that are there for the next
    HeapHistogram before = HeapHistogram.all();
    run(call);
    return HeapHistogram.all().ofOne(before, NUMBER);
  }

  private static void run(Action call) throws Exception {
    for (int i = 0; i < NUMBER; i++) {
      call.run();
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void suspendForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void receiveForEver(Channel<String> channel) {
    while (true) {
      channel.receive();
    }
  }

  /// Connects to a server that answers each request by what it is.
  private static AsyncIo connect() throws IOException {
    try (Listener listener =
        Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      AsyncIo client = Tcp.connect(listener.localAddress());
      AsyncIo server = listener.accept();
      Heddle.background("server", () -> echo(server));
      return client;
    }
  }

  private static void echo(AsyncIo server) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(REQUEST_BYTES);
    while (server.read(buffer.clear()) >= 0) {
      server.write(buffer.flip());
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void echo(BlockingQueue<String> there, BlockingQueue<String> back)
      throws InterruptedException {
    while (true) {
      back.add(poll(there));
    }
  }

  private static String poll(BlockingQueue<String> queue) throws InterruptedException {
    return Objects.requireNonNull(queue.poll(1, TimeUnit.HOURS));
  }
}
