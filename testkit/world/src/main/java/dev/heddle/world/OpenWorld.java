// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import org.jspecify.annotations.Nullable;

/// A [World] that the hook serves, and what its loop does there: carriers, turns, hand-over of
/// monitors.
///
/// A loop mounts one coroutine after the other:
///
/// ```java
/// OpenWorld open = OpenWorld.of(world);
/// Thread carrier = open.newCarrier("simulation", () -> {
///   while (goesOn()) {
///     open.awaitUnblocker();          // the freed monitors have found their next owners
///     Runnable task = next();         // of a thread that a scheduler of World.newScheduler was given
///     open.beginTurn(thread, seed);
///     task.run();
///     open.endTurn(thread);
///   }
/// });
/// carrier.start();
/// carrier.join();
/// open.close();
/// ```
///
/// **Thread**: the carrier, but for `of`, `newCarrier`, `close` and where a method says so.
public abstract class OpenWorld implements AutoCloseable {
  OpenWorld() {}

  /// Connects `world` with the hook.
  ///
  /// @throws IllegalStateException when [WorldAgent] is not installed
  public static OpenWorld of(World world) {
    if (!WorldAgent.isInstalled()) {
      throw new IllegalStateException(
          "the agent of heddle-world is not installed in this JVM; call WorldAgent.install() first,"
              + " or start Java with -javaagent:heddle-world.jar");
    }
    throw new UnsupportedOperationException("not built yet: " + world);
  }

  /// A platform thread, not started; what runs on it and is mounted on it belongs to the world.
  public abstract Thread newCarrier(String name, Runnable loop);

  /// Before each mount of a virtual thread.
  ///
  /// @param seed what the identity hash codes follow from that this turn hands out
  public abstract void beginTurn(Thread next, long seed);

  /// After it, when the thread has left the carrier.
  public abstract void endTurn(Thread last);

  /// Waits until the JVM has handed over every monitor that was freed. The JVM does so on a thread
  /// of its own, which calls `execute` of the schedulers of the coming owners: after this method all
  /// those calls have been made, in no certain order.
  ///
  /// Waits only where a thread of this world waits for a monitor. Cost: a few microseconds then.
  public abstract void awaitUnblocker();

  /// Lets `virtual` return from `park` or `Object.wait` for no reason, as both may.
  ///
  /// @return false when it waits in neither; else its scheduler's `execute` has been called
  public abstract boolean wakeForNoReason(Thread virtual);

  /// The virtual thread that runs the code of `thread`: the body of an adopted platform thread, or
  /// `thread` itself. **Thread** any.
  public abstract Thread bodyOf(Thread thread);

  /// The thread that the program knows: the platform thread whose body `virtual` is, or `virtual`
  /// itself. **Thread** any.
  public abstract Thread faceOf(Thread virtual);

  /// Lets the JVM forget a virtual thread that will never go on: without this call it stays
  /// reachable for ever.
  public abstract void forget(Thread virtual);

  /// Runs `action` outside of the world: clocks are true, nothing is simulated, and the hash codes
  /// that it draws move no others. **Thread** any.
  public abstract void outside(Runnable action);

  /// Whether the current thread is the one that the JVM hands over monitors with. **Thread** any.
  public abstract boolean isUnblocker();

  /// Ends the connection. Code that is left on carriers sees no world any more.
  @Override
  public abstract void close();

  /// The open world of the current carrier; null on all other threads, and in [#outside].
  public static @Nullable World current() {
    return null;
  }
}
