// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import java.util.List;
import java.util.Set;

/// A runtime, for the simulation in which it runs. **Thread** as for [ProcessWorld].
public interface SimulatedRuntime {
  /// Its name in PIDs.
  String name();

  /// Whether it was shut down.
  boolean isClosed();

  /// The processes that are alive, ordered by number, each with what it waits for.
  List<String> processes();

  /// The state of all processes, with the stacks of their bodies.
  String dump();

  /// The classes of objects in messages whose content was not compared, since it is not known which
  /// of their changes matter. Empty when messages are not compared.
  Set<String> unchecked();
}
