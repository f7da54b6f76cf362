// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.net.InetAddress;
import java.net.SocketImpl;
import java.net.UnknownHostException;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A simulation, as the code of a program and of the JDK sees it: the rewritten classes ask this
/// object where they would ask the JVM or the operating system.
///
/// Code belongs to a world when it runs on a carrier of that world ([OpenWorld#newCarrier]); all
/// other code of the JVM is served by the JDK as ever. Only one carrier of a world runs at a time.
///
/// **Thread**: every method is called on a carrier, most often on a virtual thread that is mounted
/// there. The virtual thread cannot leave the carrier during the call: a method must not block, and
/// what it throws reaches the program. Code of this object that the program did not call (logging,
/// loading of its own classes) runs inside [OpenWorld#outside].
///
/// **Determinism**: an answer follows from the seed and from what has happened on the carriers,
/// never from real time, from identity hash codes or from other threads.
public abstract class World {
  private static final String LOCALHOST = "localhost";

  // ---- time ----

  /// The world's clock, in nanoseconds from an origin of its own; never goes back. Asked instead of
  /// `System.nanoTime`. A loop that reads the clock until a time has come must end: the clock has
  /// to move when one turn reads it again and again.
  public abstract long nanoTime();

  /// The world's time of day, in nanoseconds since 1970. Asked instead of
  /// `System.currentTimeMillis` and by `java.time.Clock`.
  public abstract long epochNanos();

  /// Runs `action` on a carrier, outside any coroutine, when `delayNanos` have passed. Called for
  /// each timed wait of a virtual thread, on the carrier, just after the thread has left it: the
  /// action resumes that thread (its scheduler's `execute` is called).
  ///
  /// @param delayNanos more than 0; up to `Long.MAX_VALUE`, which means for ever
  public abstract Alarm schedule(Runnable action, long delayNanos);

  /// The current coroutine has called `Thread.onSpinWait`: it waits for others without leaving its
  /// carrier. It yields when this method has returned.
  public abstract void onSpin();

  // ---- threads ----

  /// The scheduler of a virtual thread that is being made: by the program, by the JDK for it, or as
  /// the body of an adopted platform thread. Not asked when the maker chose a scheduler itself, as
  /// a loop of Heddle does for its contexts.
  ///
  /// The JDK calls `execute(task)` of it once for the start and once for each wake-up; `task.run()`
  /// on a carrier, outside any coroutine, runs the thread until it waits, yields or ends. The calls
  /// come from carriers, and from the JVM's unblocker ([OpenWorld#isUnblocker]) for threads that
  /// waited for a monitor.
  ///
  /// @return null for what the JDK does: the scheduler of the current virtual thread, or else the
  ///   JVM's default scheduler, which is outside of the world
  public abstract @Nullable Executor newScheduler();

  /// A virtual thread is being started. Its scheduler's first `execute` follows on this thread.
  public abstract void onStart(Thread virtual);

  /// Whether the platform thread that is being started becomes a coroutine of this world.
  ///
  /// @return false: it runs on the operating system, outside of the world, as a thread of the JDK's
  ///   own does
  public abstract boolean adopts(Thread platform);

  /// A platform thread was adopted: it will never run itself, the virtual thread `body` runs its
  /// code. Called before `body` starts.
  public abstract void onAdopted(Thread platform, Thread body);

  /// The code of an adopted platform thread has ended. Called on its body.
  public abstract void onEnd(Thread platform);

  /// A thread of this world ended by `failure`, and it has no handler of its own for that. Called
  /// on it, instead of the default handler that prints the stack.
  ///
  /// @param thread the platform thread where one was adopted
  public abstract void onUncaught(Thread thread, Throwable failure);

  // ---- chance ----

  /// The next of this world's random numbers, all 64 bits of it.
  ///
  /// @param use what asks, for a trace: `java.util.Random`, `thread`, …
  public abstract long nextRandom(String use);

  // ---- choice ----

  /// The current coroutine is at a preemption point, before an access that other coroutines may
  /// see.
  ///
  /// @param where class and method, `com/acme/Cache.get`
  /// @return how long it is kept away: less than 0: it goes on; 0: it yields; more: nanoseconds of
  ///   this world's time, by [#schedule]. Below a native frame it goes on in any case
  public abstract long pauseAt(String where);

  // ---- outside ----

  /// The program asks for something that cannot be part of a simulation. The world notes it, with
  /// the stack of the current thread.
  ///
  /// @param what a noun: `a process of the operating system`
  /// @return what the program gets thrown
  public abstract RuntimeException refuse(String what);

  /// A file of the default file system is being opened, listed, made or deleted, by the program or
  /// by the JDK for itself. It is real: what a run writes there, later runs find.
  public void onRealFile(String file) {}

  /// The number of processors that the program sees; 1 or more.
  public int processors() {
    return 4; // as a small server: enough for pools with several workers
  }

  /// The implementation of a new `java.net.Socket`.
  ///
  /// @return null when this world has no network: the socket is refused as soon as it connects
  public @Nullable SocketImpl newSocket() {
    return null;
  }

  /// The implementation of a new `java.net.ServerSocket`; null as for [#newSocket()].
  public @Nullable SocketImpl newServerSocket() {
    return null;
  }

  /// The provider of `java.nio` channels and selectors; always the same one of this world.
  ///
  /// @return null when this world has no network: channels are refused as soon as they connect or
  ///   bind
  public @Nullable SelectorProvider selectorProvider() {
    return null;
  }

  /// The addresses of a host. Not asked for literals; nothing is cached.
  ///
  /// @return one or more
  /// @throws UnknownHostException when there is no such host in this world
  public List<InetAddress> addressesOf(String host) throws UnknownHostException {
    if (host.equalsIgnoreCase(LOCALHOST)) {
      return List.of(localHost());
    }
    throw refuse("the address of the host '" + host + "', from the operating system's resolver");
  }

  /// The name of the host that has `address`; the address as text when it has no name.
  public String nameOf(InetAddress address) {
    return address.isLoopbackAddress() ? LOCALHOST : address.getHostAddress();
  }

  /// The host that the program runs on.
  ///
  /// @throws UnknownHostException when it has no address
  public InetAddress localHost() throws UnknownHostException {
    return InetAddress.getByAddress(LOCALHOST, new byte[] {127, 0, 0, 1});
  }

  /// A scheduled action, as the JDK needs it.
  @FunctionalInterface
  public interface Alarm {
    /// The action is not wanted any more. Called on a carrier, also when it has run already.
    void cancel();
  }
}
