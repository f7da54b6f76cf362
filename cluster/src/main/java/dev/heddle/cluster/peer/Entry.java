// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Process;
import dev.heddle.process.StartOptions;
import java.util.function.Supplier;

/// Something that other nodes may start here.
///
/// @param process makes a new process for each start; it may wait
/// @param options of each process: what its node decides
public record Entry(Supplier<? extends Process> process, StartOptions options) {
  /// Checks the options.
  ///
  /// @throws IllegalArgumentException when they have what comes from who starts the process
  public Entry {
    if (!options.equals(withThoseOf(options, StartOptions.defaults()))) {
      throw new IllegalArgumentException(
          "input, name, parent, link, monitor and lifetime come from who starts the process: "
              + options);
    }
  }

  /// An entry without options of its own.
  public static Entry of(Supplier<? extends Process> process) {
    return new Entry(process, StartOptions.defaults());
  }

  /// All options of a process: those of this entry, and those that come from who starts it.
  public StartOptions with(StartOptions caller) {
    return withThoseOf(options, caller);
  }

  /// Checks that options have nothing but what reaches another node.
  ///
  /// @throws IllegalArgumentException when they have
  static void checkTravels(StartOptions caller) {
    if (!caller.equals(withThoseOf(StartOptions.defaults(), caller))) {
      throw new IllegalArgumentException(
          "only input, name, parent, link, monitor and lifetime reach another node; the entry there"
              + " decides the rest: "
              + caller);
    }
  }

  private static StartOptions withThoseOf(StartOptions entry, StartOptions caller) {
    StartOptions all =
        entry
            .withInput(caller.input())
            .withName(caller.name())
            .withParent(caller.parent())
            .withLifetime(caller.lifetime());
    all = caller.isLinked() ? all.linked() : all;
    return caller.isMonitored() ? all.monitored() : all;
  }
}
