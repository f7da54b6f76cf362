// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Process;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/// The specification of a child. Immutable: each `with…` returns a new one.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=supervisor}
///
/// @since 0.1
public final class ChildSpec {
  /// When a child that has ended is started again.
  public enum Restart {
    /// always, also after a normal end
    PERMANENT,
    /// when it has failed: not after a normal end, a cancellation or a deliberate end. A normal end
    /// before it has started is a failed start
    TRANSIENT,
    /// never
    TEMPORARY;

    /// Whether a child is started again after this exit.
    ///
    /// @param hadStarted whether it had started before
    boolean isWanted(Exit after, boolean hadStarted) {
      return switch (this) {
        case PERMANENT -> true;
        case TRANSIENT -> after.isFailure() || (!hadStarted && !after.isAbnormal());
        case TEMPORARY -> false;
      };
    }
  }

  private final String name;
  private final Callable<? extends Process> factory;
  private final StartOptions options;
  private final Restart restart;
  private final Shutdown shutdown;
  private final List<String> after;
  private final boolean significant;

  private ChildSpec(
      String name,
      Callable<? extends Process> factory,
      StartOptions options,
      Restart restart,
      Shutdown shutdown,
      List<String> after,
      boolean significant) {
    this.name = Objects.requireNonNull(name, "name");
    this.factory = Objects.requireNonNull(factory, "factory");
    this.options = Objects.requireNonNull(options, "options");
    this.restart = Objects.requireNonNull(restart, "restart");
    this.shutdown = Objects.requireNonNull(shutdown, "shutdown");
    this.after = List.copyOf(after);
    this.significant = significant;
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a child has at least one character");
    }
  }

  /// A permanent child, with default start options, the default time to clean up, and no other
  /// child to wait for.
  ///
  /// @param name unique among the children of one supervisor
  /// @param factory makes a new process for each start; on a worker, so it must not block
  /// @throws IllegalArgumentException when the name is empty
  public static ChildSpec of(String name, Callable<? extends Process> factory) {
    return new ChildSpec(
        name,
        factory,
        StartOptions.defaults(),
        Restart.PERMANENT,
        Shutdown.byDefault(),
        List.of(),
        false);
  }

  /// A permanent child that is a supervisor, or a process of your own that wraps one: it has as
  /// long to clean up as its own children need. The factory builds a new supervisor for each start.
  ///
  /// @throws IllegalArgumentException when the name is empty
  public static ChildSpec supervisor(String name, Callable<? extends Process> factory) {
    return of(name, factory).withShutdown(Shutdown.unlimited());
  }

  Process make() throws Exception {
    Process made = factory.call();
    if (made == null) {
      throw new StartRefusedException(
          "the factory of child '" + name + "' has returned null; let it make a new process", null);
    }
    return made;
  }

  /// Its name among the children of one supervisor.
  public String name() {
    return name;
  }

  /// Makes a new process for each start.
  public Callable<? extends Process> factory() {
    return factory;
  }

  /// Its start options; the supervisor is its parent, and linked to it.
  public StartOptions options() {
    return options;
  }

  /// When it is started again.
  public Restart restart() {
    return restart;
  }

  /// How the supervisor ends it.
  public Shutdown shutdown() {
    return shutdown;
  }

  /// The names of children that must have started before.
  public List<String> after() {
    return after;
  }

  /// Whether its end may end the supervisor.
  public boolean isSignificant() {
    return significant;
  }

  /// The same with other start options.
  ///
  /// @throws IllegalArgumentException when they set what the supervisor sets: a parent, a time for
  ///   the shutdown, or that the child outlives the supervisor
  public ChildSpec withOptions(StartOptions changed) {
    ChildStart.check(changed, "withShutdown of the ChildSpec");
    return new ChildSpec(name, factory, changed, restart, shutdown, after, significant);
  }

  /// The same with another restart rule.
  public ChildSpec withRestart(Restart changed) {
    return new ChildSpec(name, factory, options, changed, shutdown, after, significant);
  }

  /// The same with another way to end it.
  public ChildSpec withShutdown(Shutdown changed) {
    return new ChildSpec(name, factory, options, restart, changed, after, significant);
  }

  /// The same with another time to clean up.
  ///
  /// @throws IllegalArgumentException when the time is negative
  public ChildSpec withShutdown(Duration within) {
    return withShutdown(Shutdown.within(within));
  }

  /// The same, started only after these children have started (reported ready, or returned from
  /// `init`) or have ended normally.
  ///
  /// @param names of children that are named to the supervisor before this one
  public ChildSpec withAfter(String... names) {
    return new ChildSpec(name, factory, options, restart, shutdown, List.of(names), significant);
  }

  /// The same, significant: when it ends by itself and is not to be started again, its supervisor
  /// ends too, as [Supervisor.Builder#autoShutdown] says. A permanent child cannot be significant;
  /// the supervisor refuses it.
  public ChildSpec significant() {
    return new ChildSpec(name, factory, options, restart, shutdown, after, true);
  }

  @Override
  public String toString() {
    return "child '%s' (%s)".formatted(name, restart);
  }
}
