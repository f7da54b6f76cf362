// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.scheduler.context.VirtualThreads;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A thread that runs steps of processes: that of a worker, or the carrier of a simulation, which
/// runs the steps of all workers of all its runtimes.
///
/// A carrier that has a class of its own is *adopted*: an object of this class, which is not
/// started, stands for it.
public final class WorkerThread extends Thread {
  /// Whether this JVM has the module of simulations. A constant, so that a program without it pays
  /// nothing for the carriers that could be adopted.
  static final boolean ADOPTS = hasSimulations();

  private static final Map<Thread, WorkerThread> ADOPTED = new ConcurrentHashMap<>();

  private final @Nullable ProcessWorld world;
  private final Thread real; // this thread, or that for which it stands

  // the real thread: its worker for good; on a carrier, the one whose step runs, or null
  @Nullable Worker worker;

  private WorkerThread(@Nullable ProcessWorld world, String name, Runnable work) {
    super(null, work, name, 0, false);
    this.world = world;
    this.real = this;
  }

  private WorkerThread(ProcessWorld world, Thread real) {
    super(null, () -> {}, real.getName(), 0, false);
    this.world = world;
    this.real = real;
  }

  private static boolean hasSimulations() {
    try {
      Class.forName("dev.heddle.test.Simulation", false, WorkerThread.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError _) {
      return false;
    }
  }

  // ---- workers ----

  /// A scheduler whose workers have threads of their own, which are not started.
  ///
  /// @param name of the threads
  /// @param count of workers, at least 1
  static WorkScheduler newScheduler(String name, int count) {
    return new WorkScheduler(
        count,
        (scheduler, number) ->
            newWorker(scheduler, name + "-worker-" + number, number, Worker::runGuarded));
  }

  /// A compensating worker with a thread of its own, which is not started, and runs `work`.
  static Worker newCompensating(WorkScheduler of, String name, Consumer<Worker> work) {
    return newWorker(of, name, Worker.COMPENSATING, work);
  }

  private static Worker newWorker(
      WorkScheduler of, String name, int number, Consumer<Worker> work) {
    WorkerThread thread =
        new WorkerThread(null, name, () -> work.accept(Objects.requireNonNull(currentWorker())));
    thread.setDaemon(true);
    Worker worker = new Worker(of, thread, number);
    thread.worker = worker;
    return worker;
  }

  /// The worker that runs a step on the calling thread, or null.
  public static @Nullable Worker currentWorker() {
    Thread thread = Thread.currentThread();
    return thread instanceof WorkerThread t ? t.worker : workerOfAdopted(thread);
  }

  // ---- carriers ----

  /// The carrier of a simulation, not started. Runtimes that are started on it belong to the
  /// simulation, and so do those that a virtual thread starts while it is mounted on it.
  ///
  /// @param name of the thread
  /// @param work is everything that the simulation does
  public static WorkerThread ofSimulation(ProcessWorld world, String name, Runnable work) {
    return new WorkerThread(world, name, work);
  }

  /// Makes a thread the carrier of a simulation, until it is released. Otherwise as
  /// [#ofSimulation].
  ///
  /// @param carrier is not started
  public static void adopt(Thread carrier, ProcessWorld world) {
    if (!ADOPTS) {
      throw new IllegalStateException(
          "dev.heddle.process does not see the module dev.heddle.test; load both with one loader");
    }
    ADOPTED.put(carrier, new WorkerThread(world, carrier));
  }

  /// Ends the adoption of a carrier.
  public static void release(Thread carrier) {
    ADOPTED.remove(carrier);
  }

  /// The worker whose step runs on an adopted carrier; null on every other thread.
  private static @Nullable Worker workerOfAdopted(Thread thread) {
    WorkerThread carrier = ADOPTS ? ADOPTED.get(thread) : null;
    return carrier == null ? null : carrier.worker;
  }

  /// What runs the current thread, if it is one of these; else null.
  static @Nullable WorkerThread current() {
    Thread carrier = VirtualThreads.carrierOf(Thread.currentThread());
    if (carrier instanceof WorkerThread t) {
      return t;
    }
    return ADOPTS && carrier != null ? ADOPTED.get(carrier) : null;
  }

  /// Whether it runs the current thread, which is itself or a virtual thread mounted on it.
  boolean isCurrent() {
    return current() == this;
  }

  /// The thread itself, or the one for which it stands.
  Thread real() {
    return real;
  }

  // ---- the simulation of the current thread ----

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
