// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.StartOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The start options of children, and the outcome of a start. Siblings with equal options share one
/// object, because each of many processes keeps its options.
final class ChildStart {
  private @Nullable StartOptions given;
  private @Nullable Shutdown shutdown;
  private @Nullable StartOptions made;

  /// Checks that options do not set what the supervisor sets for its children.
  ///
  /// @param place the method that sets the time for the shutdown, for the message
  /// @throws IllegalArgumentException when they do
  static void check(StartOptions options, String place) {
    if (!options.shutdown().equals(StartOptions.DEFAULT_SHUTDOWN)) {
      throw new IllegalArgumentException(
          "start options with a shutdown of %s: the supervisor ends the child; set the time with %s"
              .formatted(options.shutdown(), place));
    }
    if (options.parent() != null) {
      throw new IllegalArgumentException(
          "start options with the parent "
              + options.parent()
              + ": the parent of a child is its supervisor; leave withParent out");
    }
    if (options.lifetime() == Lifetime.INDEPENDENT) {
      throw new IllegalArgumentException(
          "start options with Lifetime.INDEPENDENT: a child ends with its supervisor; leave"
              + " withLifetime out, or start the process by context.spawn()");
    }
  }

  /// The options with the supervisor as parent, linked.
  ///
  /// @param ending how the supervisor ends the child. If the supervisor has ended before, the child
  ///   has this time too, or the default one instead of none: no process waits for it then
  StartOptions of(StartOptions options, ProcessContext supervisor, Shutdown ending) {
    StartOptions known = made;
    if (known == null || given != options || !ending.equals(shutdown)) {
      Duration time =
          switch (ending) {
            case Shutdown.Within within -> within.timeout();
            case Shutdown.Immediate _ -> Duration.ZERO;
            case Shutdown.Unlimited _, Shutdown.Default _ -> Shutdown.DEFAULT_TIMEOUT;
          };
      known =
          options
              .withParent(supervisor.self())
              .linked()
              .withLifetime(Lifetime.WITH_PARENT)
              .withShutdown(time);
      given = options;
      shutdown = ending;
      made = known;
    }
    return known;
  }

  /// Checks that a start has not returned another process, which already has the child's name and
  /// which the supervisor must not end.
  ///
  /// @param isKnown whether `pid` is another child
  /// @throws IllegalStateException when it is not the process that was to be started
  static void checkNotTaken(ProcessContext self, Pid pid, boolean isKnown) {
    ProcessSnapshot there = self.runtime().process(pid);
    if (isKnown || (there != null && !self.self().equals(there.parent()))) {
      throw new IllegalStateException(
          "the name of the child belongs to " + pid + "; end that process, or use another name");
    }
  }

  /// The exit of a start for which no process could be made: its PID belongs to no process.
  static Exit creationFailed(ProcessContext supervisor, Throwable why) {
    Pid own = supervisor.self();
    Pid nobody = new Pid(own.node(), own.host(), 0, own.incarnation());
    return new Exit(nobody, Exit.Reason.FAILED, null, why);
  }

  /// Whether a process that has ended had started before. A step takes what is urgent, such as the
  /// result of `AwaitStart`, and then the rest, such as the report of a monitor. Both may arrive in
  /// between: then the end is read first.
  static boolean hadStarted(ProcessContext supervisor, Exit exit) {
    return supervisor.runtime().whenStarted(exit.pid()).getNow(false);
  }
}
