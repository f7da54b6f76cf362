// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Process;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/// What a supervisor has to know of a child. A value: each `with…` makes another one.
///
/// @param name among the children of one supervisor
/// @param factory makes the process, anew for each start; on a worker, so it must not block
/// @param options of each start; the supervisor is its parent and linked to it
/// @param restart when it is started again
/// @param shutdown how long it may clean up when the supervisor ends it
/// @param after names of children that must have started before
/// @since 0.1
public record ChildSpec(
    String name,
    Callable<? extends Process> factory,
    StartOptions options,
    Restart restart,
    Duration shutdown,
    List<String> after) {
  /// When a child that has ended is started again.
  public enum Restart {
    /// always, also when it was done
    PERMANENT,
    /// when it has ended other than normally
    TRANSIENT,
    /// never
    TEMPORARY
  }

  /// How long a child may clean up where nothing else is said.
  public static final Duration SHUTDOWN = Duration.ofSeconds(5);

  /// Checks the values.
  ///
  /// @throws IllegalArgumentException when the name is empty or the time negative
  public ChildSpec {
    Objects.requireNonNull(factory, "factory");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(restart, "restart");
    after = List.copyOf(after);
    if (name.isEmpty() || shutdown.isNegative()) {
      throw new IllegalArgumentException(
          "a child has a name, and no negative time for its shutdown: '" + name + "', " + shutdown);
    }
  }

  /// A permanent child, started with the default options, after nobody.
  public static ChildSpec of(String name, Callable<? extends Process> factory) {
    return new ChildSpec(
        name, factory, StartOptions.DEFAULT, Restart.PERMANENT, SHUTDOWN, List.of());
  }

  Process make() throws Exception {
    Process made = factory.call();
    if (made == null) {
      throw new StartRefusedException(
          "the factory of child '" + name + "' has returned null; let it make a new process", null);
    }
    return made;
  }

  /// The same with other start options.
  public ChildSpec withOptions(StartOptions changed) {
    return new ChildSpec(name, factory, changed, restart, shutdown, after);
  }

  /// The same, started again at other times.
  public ChildSpec withRestart(Restart changed) {
    return new ChildSpec(name, factory, options, changed, shutdown, after);
  }

  /// The same with another time to clean up.
  public ChildSpec withShutdown(Duration changed) {
    return new ChildSpec(name, factory, options, restart, changed, after);
  }

  /// The same, not started before these have: their `init` has returned, or they are done.
  ///
  /// @param names of children that the supervisor was told of before this one
  public ChildSpec withAfter(String... names) {
    return new ChildSpec(name, factory, options, restart, shutdown, List.of(names));
  }
}
