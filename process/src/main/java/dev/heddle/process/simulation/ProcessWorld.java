// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import dev.heddle.Loop;
import java.util.function.Supplier;

/// The simulation in which a runtime runs.
///
/// A runtime that is started on the carrier of a simulation
/// ([dev.heddle.process.scheduler.WorkerThread#ofSimulation]), or in a virtual thread that is
/// mounted on it, has no thread of its own. Each ready process is an *entry* in the queue of the
/// simulation, which runs the entries one after the other on its carrier, with no virtual thread
/// mounted, in the order that it chooses. An entry runs one step. So the order of the entries, the
/// numbers of [#choose], and the clock decide everything that the runtime does.
///
/// **Thread** the carrier, and virtual threads mounted on it, unless a method says otherwise.
public interface ProcessWorld {
  /// Nanoseconds of virtual time since an origin of the simulation's choice. It must not change
  /// while an entry is ready. **Thread** any.
  long nanoTime();

  /// A number from 0, and less than `among`: the choice of the simulation. Where it wants nothing
  /// special it chooses 0.
  ///
  /// @param among at least 1
  int choose(int among);

  /// A number for the chance of one part of a runtime: another one in each call, the same ones for
  /// the same seed.
  long newSeed();

  /// Queues an entry. That of a process is always the same object, and is queued at most once at a
  /// time. A simulation that has ended drops its entries.
  ///
  /// @param name of the process
  void later(String name, Runnable entry);

  /// Queues an entry when the clock has reached a time.
  ///
  /// @param nanoTime on the scale of [#nanoTime]; at once when it has passed
  void at(long nanoTime, Runnable entry);

  /// Queues an entry for a thread that is not part of the simulation. What it brings cannot be
  /// repeated, so the simulation names it. **Thread** any other.
  ///
  /// @param what it does, with its name
  void arrive(String what, Runnable entry);

  /// Whether timed waits of the JDK end in virtual time. Where they do not, a body that begins one
  /// fails the simulation.
  boolean endsTimedWaits();

  /// The loop on which commands run.
  ///
  /// @throws IllegalStateException when the simulation has none
  Loop<?> loop();

  /// Whether messages are compared, when they are received, with what they were when they were
  /// sent.
  MessageCheck messageCheck();

  /// Whether messages are compared.
  enum MessageCheck {
    /// not at all
    NONE,
    /// what a [MessageImage] can see of them
    DEEP
  }

  /// A runtime has started in the simulation.
  void started(SimulatedRuntime runtime);

  /// Something has happened that fails the simulation: a message was changed after it was sent, or
  /// processes wait for each other.
  void failed(String report);

  /// Something has happened that belongs into the trace.
  ///
  /// @param what is called at most once
  default void trace(Supplier<String> what) {}
}
