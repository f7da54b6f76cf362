// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.HomeLoop;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.RawStream;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Polls the driver: without blocking between coroutines, and blocking when nothing is ready.
///
/// **Thread** [#poll] on the trampoline only, because a driver takes locks, and a coroutine that is
/// parked inside one would keep them; everything else on the loop.
public final class Reactor {
  private final ReactorDriver driver;
  private final TimerQueue timers;

  // loop only
  private final IdentityHashMap<Object, SharedPoll> channels = new IdentityHashMap<>();
  private final Map<Object, SharedPoll> descriptors = new HashMap<>();
  private final Set<RawStream> streams = new HashSet<>(); // open ones
  private long polls;
  private long sleeps;
  private int handles;
  private @Nullable ReactorTrace trace; // null: none is being recorded

  public Reactor(ReactorDriver driver, TimerQueue timers) {
    this.driver = driver;
    this.timers = timers;
  }

  /// One poll of the driver.
  ///
  /// @param noWait true: only what has completed; false: sleep until something completes, a timer
  ///   is due, or a wake-up
  /// @return the number of listeners notified
  public int poll(boolean noWait) {
    ReactorTrace observer = trace;
    if (noWait) {
      polls++;
    } else {
      sleeps++;
    }
    if (observer != null && !noWait) {
      observer.sleeps();
    }
    int notified = driver.poll(noWait ? ReactorDriver.NO_WAIT : timers.wakeAt());
    if (observer != null) {
      observer.polled(!noWait, notified);
    }
    return notified;
  }

  /// Has the observer called of what happens here; null: nobody. Not inside a poll.
  public void setTrace(@Nullable ReactorTrace observer) {
    trace = observer;
    timers.setTrace(observer);
  }

  /// Watches a channel that other code has opened; all waits for the channel share one
  /// registration.
  ///
  /// @throws IOException when the driver cannot watch it
  public SharedPoll watch(HomeLoop home, SelectableChannel channel) throws IOException {
    SharedPoll known = channels.get(channel);
    if (known == null) {
      known = new SharedPoll(home, driver().watch(channel), channel);
      channels.put(channel, known);
    }
    known.users++;
    return known;
  }

  /// Watches a file descriptor that other code has opened; all waits for it share one registration.
  ///
  /// @throws IOException when the driver cannot watch it
  public SharedPoll watch(HomeLoop home, int number) throws IOException {
    SharedPoll known = descriptors.get(number);
    if (known == null) {
      known = new SharedPoll(home, driver().watch(number), "descriptor " + number);
      descriptors.put(number, known);
    }
    known.users++;
    return known;
  }

  /// A handle over a descriptor of this loop was opened.
  public void handleOpened() {
    handles++;
  }

  /// It is closed. Called once for each.
  public void handleClosed() {
    handles--;
  }

  /// The number of handles that are open. **Thread** any: it may lag.
  public int handles() {
    return handles;
  }

  /// Whether [#stream] works here.
  public boolean hasStreams() {
    if (EpollSet.refusal() != null) {
      return false; // before a driver is chosen for the question
    }
    Support watched = driver().capabilities().get(Capability.RAW_POLL);
    return watched != null && watched.level() != Support.Level.UNSUPPORTED;
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
        LinuxCalls.close(number);
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
  public void unwatch(Object what, SharedPoll known) {
    if (--known.users == 0) {
      if (what instanceof Integer) {
        descriptors.remove(what);
      } else {
        channels.remove(what);
      }
      AsynchronousCloseException closed = new AsynchronousCloseException();
      known.readable.abort(closed);
      known.writable.abort(closed);
      known.descriptor.close();
    }
  }

  /// The driver, chosen now if that has not happened yet.
  public ReactorDriver driver() {
    return driver instanceof LazyDriver deferred ? deferred.chosen() : driver;
  }

  /// The number of non-blocking polls so far.
  public long polls() {
    return polls;
  }

  /// The number of blocking polls so far.
  public long sleeps() {
    return sleeps;
  }

  /// A channel or file descriptor that other code owns, with events for all coroutines that wait: a
  /// descriptor has one listener for each direction, and an event has many subscribers.
  public static final class SharedPoll {
    private final Descriptor descriptor;
    private final PollEvent readable;
    private final PollEvent writable;
    private int users; // loop only

    private SharedPoll(HomeLoop home, Descriptor descriptor, Object owner) {
      this.descriptor = descriptor;
      this.readable = new PollEvent(home, Direction.READ, descriptor, owner);
      this.writable = new PollEvent(home, Direction.WRITE, descriptor, owner);
    }

    /// Fires when it becomes readable, or has a connection to accept.
    public PollEvent readable() {
      return readable;
    }

    /// Fires when it becomes writable, or has connected.
    public PollEvent writable() {
      return writable;
    }
  }
}
