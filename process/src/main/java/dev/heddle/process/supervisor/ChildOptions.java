// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessSnapshot;
import dev.heddle.process.StartOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The start options of children. Those of siblings that are given the same ones are one object: a
/// process keeps its options, and there are many.
final class ChildOptions {
  private @Nullable StartOptions given;
  private @Nullable Shutdown shutdown;
  private @Nullable StartOptions made;

  /// What a supervisor says of its children, their options cannot say.
  ///
  /// @param place where the time for the shutdown is said
  /// @throws IllegalArgumentException when they do
  static void check(StartOptions options, String place) {
    if (!options.shutdown().equals(StartOptions.DEFAULT_SHUTDOWN)) {
      throw new IllegalArgumentException(
          "start options with a shutdown of "
              + options.shutdown()
              + ": the supervisor ends the child; say the time by "
              + place);
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
  /// @param ending how the supervisor ends the child; when the supervisor has ended before, the
  ///   child has that time, or the usual one where it has no limit: nobody waits for it then
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

  /// Whoever has the name that a child wants is given in its place, and is not ours to end.
  ///
  /// @param isKnown whether that is another child
  /// @throws IllegalStateException when it is not the process that was to be started
  static void checkNotTaken(ProcessContext self, Pid pid, boolean isKnown) {
    ProcessSnapshot there = self.runtime().process(pid);
    if (isKnown || (there != null && !self.self().equals(there.parent()))) {
      throw new IllegalStateException(
          "the name of the child belongs to " + pid + "; end that one, or take another name");
    }
  }
}
