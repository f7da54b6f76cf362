// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.EventHome;
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

/// Polls the driver: without waiting between coroutines, with a sleep when nothing is ready.
///
/// **Thread** [#execute] on the trampoline only (a driver takes locks; a coroutine parked inside
/// one would keep it), the rest on the loop.
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

  /// One turn of the driver.
  ///
  /// @param noWait true: only what has completed; false: sleep until something completes, the first
  ///   timer is due, or a wake-up
  /// @return how many operations were answered
  public int execute(boolean noWait) {
    if (noWait) {
      looks++;
      return driver.tick(ReactorDriver.NO_WAIT);
    }
    sleeps++;
    return driver.tick(timers.nextDeadline());
  }

  /// Watches a channel of other code, together with those that do already.
  ///
  /// @throws IOException when the driver cannot
  public Watched watch(EventHome home, SelectableChannel channel) throws IOException {
    Watched known = channels.get(channel);
    if (known == null) {
      known = watched(home, driver().watch(channel), channel);
      channels.put(channel, known);
    }
    known.users++;
    return known;
  }

  /// Watches a descriptor of other code by its number, together with those that do already.
  ///
  /// @throws IOException when the driver cannot
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

  /// Whether [#stream] is served here.
  public boolean hasStreams() {
    if (RawDescriptors.refusal() != null) {
      return false; // before a driver is chosen for it
    }
    Support watched = driver().capabilities().get(Facility.RAW_POLL);
    return watched != null && watched.level() != Support.Level.REFUSED;
  }

  /// A stream over a number that is ours; it is closed with the driver at the latest.
  ///
  /// @param number of a stream on which no call waits; closed when this fails
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

  /// Closes the driver, and what was left open on it.
  public void close() {
    try {
      driver.close();
    } finally {
      streams.forEach(RawStream::closeLate);
    }
  }

  /// One of those that watch a channel, or a number, does so no more.
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

  /// The driver in force; it is chosen now, if that was put off until it is needed.
  public ReactorDriver driver() {
    return driver instanceof DeferredDriver deferred ? deferred.chosen() : driver;
  }

  /// The loop's timers.
  public TimerQueue timers() {
    return timers;
  }

  /// Calls that did not wait, so far.
  public long looks() {
    return looks;
  }

  /// Calls that may have waited, so far.
  public long sleeps() {
    return sleeps;
  }
}
