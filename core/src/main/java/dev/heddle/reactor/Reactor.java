// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.EventHome;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.Facility;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.raw.RawCalls;
import dev.heddle.reactor.raw.RawDescriptors;
import dev.heddle.reactor.raw.RawStream;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/// Polls the driver: without blocking between coroutines, and blocking when nothing is ready.
///
/// **Thread** [#execute] on the trampoline only, because a driver takes locks, and a coroutine that
/// is parked inside one would keep them; everything else on the loop.
public final class Reactor {
  private final ReactorDriver driver;
  private final TimerQueue timers;

  // loop only
  private final IdentityHashMap<Object, Watched> channels = new IdentityHashMap<>();
  private final Map<Object, Watched> numbers = new HashMap<>();
  private final Set<RawStream> streams = new HashSet<>(); // open ones
  private long looks;
  private long sleeps;

  /// A reactor over a driver and the loop's timers.
  public Reactor(ReactorDriver driver, TimerQueue timers) {
    this.driver = driver;
    this.timers = timers;
  }

  /// One poll of the driver.
  ///
  /// @param noWait true: only what has completed; false: sleep until something completes, the first
  ///   timer is due, or a wake-up
  /// @return the number of listeners notified
  public int execute(boolean noWait) {
    if (noWait) {
      looks++;
      return driver.tick(ReactorDriver.NO_WAIT);
    }
    sleeps++;
    return driver.tick(timers.nextDeadline());
  }

  /// Watches a channel that other code has opened; all waits for the channel share one
  /// registration.
  ///
  /// @throws IOException when the driver cannot watch it
  public Watched watch(EventHome home, SelectableChannel channel) throws IOException {
    Watched known = channels.get(channel);
    if (known == null) {
      known = watched(home, driver().watch(channel), channel);
      channels.put(channel, known);
    }
    known.users++;
    return known;
  }

  /// Watches a file descriptor that other code has opened; all waits for it share one registration.
  ///
  /// @throws IOException when the driver cannot watch it
  public Watched watch(EventHome home, int number) throws IOException {
    Watched known = numbers.get(number);
    if (known == null) {
      known = watched(home, driver().watch(number), "descriptor " + number);
      numbers.put(number, known);
    }
    known.users++;
    return known;
  }

  private Watched watched(EventHome home, Descriptor descriptor, Object owner) {
    return new Watched(
        descriptor,
        new PollEvent(home, Direction.READ, descriptor, owner),
        new PollEvent(home, Direction.WRITE, descriptor, owner));
  }

  /// Whether [#stream] works here.
  public boolean hasStreams() {
    if (RawDescriptors.refusal() != null) {
      return false; // before a driver is chosen for the question
    }
    Support watched = driver().capabilities().get(Facility.RAW_POLL);
    return watched != null && watched.level() != Support.Level.REFUSED;
  }

  /// A stream over a file descriptor, which it owns; closed with the driver at the latest.
  ///
  /// @param number a non-blocking descriptor of a stream; closed when this call fails
  /// @throws IOException when the driver cannot watch it
  public RawStream stream(int number) throws IOException {
    boolean watched = false;
    try {
      RawStream stream = new RawStream(number, driver().watch(number), streams::remove);
      watched = true;
      streams.add(stream);
      return stream;
    } finally {
      if (!watched) {
        RawCalls.close(number);
      }
    }
  }

  /// Closes the driver, and the streams that are still open on it.
  public void close() {
    try {
      driver.close();
    } finally {
      streams.forEach(RawStream::closeLate);
    }
  }

  /// Ends one use of a watched channel or descriptor.
  public void unwatch(Object what, Watched known) {
    if (--known.users == 0) {
      if (what instanceof Integer) {
        numbers.remove(what);
      } else {
        channels.remove(what);
      }
      AsynchronousCloseException closed = new AsynchronousCloseException();
      known.readable().abort(closed);
      known.writable().abort(closed);
      known.descriptor().close();
    }
  }

  /// The driver, chosen now if that has not happened yet.
  public ReactorDriver driver() {
    return driver instanceof DeferredDriver deferred ? deferred.chosen() : driver;
  }

  /// The loop's timers.
  public TimerQueue timers() {
    return timers;
  }

  /// The number of non-blocking polls so far.
  public long looks() {
    return looks;
  }

  /// The number of blocking polls so far.
  public long sleeps() {
    return sleeps;
  }
}
