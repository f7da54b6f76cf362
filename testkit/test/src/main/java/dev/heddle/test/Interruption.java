// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Course;
import dev.heddle.test.run.VirtualTime;
import java.time.Duration;

/// What a strategy did in a run beyond choosing among those that were ready.
///
/// {@snippet class=dev.heddle.test.AgentStrategiesTest region=interruptions}
///
/// @since 0.1
public final class Interruption {
  private final Kind kind;
  private final Duration at;
  private final String thread;
  private final String text;

  /// The kinds.
  public enum Kind {
    /// The one that ran gave way to another one, at a preemption point.
    PREEMPTION,
    /// The one that ran was kept away from its work for some virtual time, at a preemption point.
    STALL,
    /// One returned from a wait in the JDK for no reason.
    WAKE_UP
  }

  private Interruption(Kind kind, Duration at, String thread, String text) {
    this.kind = kind;
    this.at = at;
    this.thread = thread;
    this.text = text;
  }

  static Interruption of(dev.heddle.test.run.Interruption one, Course course) {
    String thread = course.name(one.id());
    Duration at = Duration.ofNanos(one.time());
    String place =
        "%s %d at %s: ".formatted(word(one.kind()), one.number(), VirtualTime.inWords(at));
    String where = one.where().replace('/', '.');
    return switch (one.kind()) {
      case PREEMPTION ->
          new Interruption(
              Kind.PREEMPTION,
              at,
              thread,
              one.among() == 0
                  ? place + "%s gave way in %s, to none".formatted(thread, where)
                  : place
                      + "%s gave way in %s to %s, number %d of %d others"
                          .formatted(
                              thread,
                              where,
                              course.name(one.instead()),
                              one.value() + 1,
                              one.among()));
      case STALL ->
          new Interruption(
              Kind.STALL,
              at,
              thread,
              place
                  + "%s was kept away in %s for %s"
                      .formatted(
                          thread, where, VirtualTime.inWords(Duration.ofNanos(one.value()))));
      case WAKE_UP ->
          new Interruption(
              Kind.WAKE_UP,
              at,
              thread,
              place
                  + "the wait of %s ended for no reason, number %d of %d that waited"
                      .formatted(thread, one.value() + 1, one.among()));
    };
  }

  private static String word(dev.heddle.test.run.Interruption.Kind kind) {
    return kind == dev.heddle.test.run.Interruption.Kind.WAKE_UP ? "step" : "point";
  }

  /// Its kind.
  public Kind kind() {
    return kind;
  }

  /// The virtual time since the beginning of the run.
  public Duration at() {
    return at;
  }

  /// The name of the coroutine or thread that gave way, was kept away, or returned from its wait.
  public String thread() {
    return thread;
  }

  @Override
  public String toString() {
    return text;
  }
}
