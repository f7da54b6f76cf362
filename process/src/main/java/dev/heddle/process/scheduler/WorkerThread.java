// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.scheduler.context.VirtualThreads;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A thread that runs steps of processes: that of a worker, or the carrier of a simulation, which
/// runs the steps of all workers of all its runtimes.
public final class WorkerThread extends Thread {
  private final @Nullable ProcessWorld world;

  // this thread: its worker for good; on a carrier, the one that has a turn, or null
  @Nullable Worker worker;

  WorkerThread(Worker worker, String name, Runnable work) {
    super(null, work, name, 0, false);
    this.worker = worker;
    this.world = null;
  }

  private WorkerThread(ProcessWorld world, String name, long stackSize, Runnable work) {
    super(null, work, name, stackSize, false);
    this.world = world;
  }

  /// The carrier of a simulation, not started. Runtimes that are started on it belong to the
  /// simulation, and so do those that a virtual thread starts while it is mounted on it.
  ///
  /// @param name of the thread
  /// @param stackSize in bytes; 0: as usual
  /// @param work is everything that the simulation does
  public static WorkerThread ofSimulation(
      ProcessWorld world, String name, long stackSize, Runnable work) {
    return new WorkerThread(world, name, stackSize, work);
  }

  /// The thread that runs the current thread, if it is one of these; else null.
  static @Nullable WorkerThread current() {
    return VirtualThreads.carrierOf(Thread.currentThread()) instanceof WorkerThread t ? t : null;
  }

  static WorkerThread required() {
    WorkerThread carrier = current();
    if (carrier == null) {
      throw new IllegalStateException("not in a simulation: " + Thread.currentThread());
    }
    return carrier;
  }

  /// The simulation to which the current thread belongs, or null.
  public static @Nullable ProcessWorld currentWorld() {
    WorkerThread carrier = current();
    return carrier == null ? null : carrier.world;
  }

  /// Chance of the simulation to which the current thread belongs; null in no simulation.
  public static @Nullable RandomGenerator simulatedChance() {
    ProcessWorld world = currentWorld();
    return world == null ? null : new SplittableRandom(world.newSeed());
  }

  /// The monotonic clock of the current thread: that of its simulation, else [System#nanoTime].
  public static long nanoTime() {
    ProcessWorld world = currentWorld();
    return world == null ? System.nanoTime() : world.nanoTime();
  }
}
