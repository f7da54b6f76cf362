// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [World] that the hook serves, and what its loop does there: carriers, turns, hand-over of
/// monitors.
///
/// A loop mounts one coroutine after the other; this one in the order of their arrival:
///
/// {@snippet class=dev.heddle.world.FifoWorld region=loop}
///
/// **Thread**: the carrier, but for `of`, `newCarrier`, `close` and where a method says so.
public final class OpenWorld implements AutoCloseable {
  private final HookedWorld hooked;

  private OpenWorld(HookedWorld hooked) {
    this.hooked = hooked;
  }

  /// Connects `world` with the hook.
  ///
  /// @throws IllegalStateException when [WorldAgent] is not installed, or could not rewrite a class
  public static OpenWorld of(World world) {
    if (!WorldAgent.isInstalled()) {
      throw new IllegalStateException(
          "the agent of heddle-world is not installed in this JVM; call WorldAgent.install(...)"
              + " first, or start Java with -javaagent:heddle-world.jar");
    }
    List<String> problems = WorldAgent.problems();
    if (!problems.isEmpty()) {
      throw new IllegalStateException(String.join("; ", problems));
    }
    HookedWorld hooked = new HookedWorld(world);
    hooked.open();
    return new OpenWorld(hooked);
  }

  /// A platform thread, not started; what runs on it and is mounted on it belongs to the world. A
  /// world may have several carriers, of which one runs at a time.
  public Thread newCarrier(String name, Runnable loop) {
    return new HeddleCarrier(hooked, name, loop);
  }

  /// Before each mount of a virtual thread.
  ///
  /// @param seed what the identity hash codes that this turn hands out follow from
  public void beginTurn(Thread next, long seed) {
    hooked.beginTurn(next, seed);
  }

  /// After it, when the thread has left the carrier.
  public void endTurn(Thread last) {
    hooked.endTurn(last);
  }

  /// Waits until the JVM has handed over every monitor that was freed. The JVM does so on a thread
  /// of its own, which calls `execute` of the schedulers of the coming owners: after this method
  /// all those calls have been made, in no certain order.
  ///
  /// Waits only where a thread of this world waits for a monitor. Cost: a few microseconds then.
  public void awaitUnblocker() {
    hooked.awaitUnblocker();
  }

  /// Whether a thread of this world waits for a monitor, or in `Object.wait`: if one is given the
  /// monitor, the JVM says so on a thread of its own. True also for a while after such a wait.
  public boolean hasMonitorWaiters() {
    return hooked.hasMonitorWaiters();
  }

  /// Lets `virtual` return from `park` or `Object.wait` for no reason, as both may.
  ///
  /// @return false when it waits in neither; else its scheduler's `execute` has been called
  public boolean wakeForNoReason(Thread virtual) {
    return HeddleWorld.wakeForNoReason(virtual);
  }

  /// The virtual thread that runs the code of `thread`: the body of an adopted platform thread that
  /// has not ended, or `thread` itself. **Thread** any.
  public Thread bodyOf(Thread thread) {
    Thread body = hooked.bodyOf(thread);
    return body == null ? thread : body;
  }

  /// The thread that the program knows: the platform thread whose body `virtual` is, or `virtual`
  /// itself. **Thread** any.
  public Thread faceOf(Thread virtual) {
    return hooked.faceOf(virtual);
  }

  /// Lets the JVM forget a virtual thread that will never go on: it stays reachable otherwise,
  /// until [#close()].
  public void forget(Thread virtual) {
    HeddleWorld.forget(virtual);
  }

  /// Runs `action` outside of the world: clocks are true, nothing is simulated, and the hash codes
  /// that it draws move no others. The action must not wait: a wait would leave the carrier, and
  /// end by real time. **Thread** any.
  public static void outside(Runnable action) {
    if (!WorldAgent.isInstalled()) {
      action.run();
      return;
    }
    HeddleOutside.enter();
    try {
      action.run();
    } finally {
      HeddleOutside.leave();
    }
  }

  /// Whether the current thread is the one that the JVM hands over monitors with. **Thread** any.
  public static boolean isUnblocker() {
    return WorldAgent.isInstalled() && HeddleWorld.isUnblocker();
  }

  /// The open world of the current carrier; null on all other threads, and in [#outside].
  public static @Nullable World current() {
    return WorldAgent.isInstalled() && HeddleWorld.current() instanceof HookedWorld hooked
        ? hooked.world()
        : null;
  }

  /// Ends the connection. To be called when the carriers have ended; threads of the world that have
  /// not ended never run again, and the JVM keeps none of them reachable.
  @Override
  public void close() {
    hooked.close();
  }
}
