// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.simulation.OperatorLog.Why;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A scope of a random program, and what is known of it.
final class Circle {
  enum Kind {
    /// The loop's: whoever called `run` gets its failure.
    ROOT,
    /// A block: it throws its failure.
    BLOCK,
    /// A supervised block: failures stay with the members.
    SUPERVISED,
    /// One for try-with-resources: `join` throws its failure.
    OPENED
  }

  final Kind kind;
  final Scope scope;
  final List<Life> members = new ArrayList<>();
  private @Nullable Throwable threw; // the block, the join, or the run
  private boolean closed;

  Circle(Kind kind, Scope scope) {
    this.kind = kind;
    this.scope = scope;
  }

  boolean isClosed() {
    return closed;
  }

  /// Its owner has left it, with what it threw.
  void over(RandomProgram program, @Nullable Throwable thrown) {
    threw = thrown;
    closed = true;
    if (!program.isPast()) {
      program.check(scope.isClosed(), () -> this + " is not closed");
      program.check(scope.children().isEmpty(), () -> this + " has scopes below");
      members.forEach(
          member -> program.check(member.isDone(), () -> this + " left " + member + " behind"));
    }
  }

  /// The loop is over.
  void ran(@Nullable Throwable thrown) {
    threw = thrown;
  }

  // ---- its failures ----

  /// Accounts for each failure of a member: who got it, or what the operator has to read.
  void account(RandomProgram program) {
    List<Life> untaken = untaken();
    untaken.stream().filter(Life::isLate).forEach(life -> program.expect(Why.LATE, life.failure()));
    untaken.removeIf(Life::isLate);
    if (untaken.stream().anyMatch(Life::mayHaveGivenWay) || joinIsUnclear(untaken)) {
      program.excuse(untaken);
    } else if (kind == Kind.SUPERVISED) {
      untaken.stream()
          .filter(life -> !life.wasTakenLate())
          .forEach(life -> program.expect(Why.UNTAKEN, life.failure()));
    } else if (!untaken.isEmpty()) {
      accountForItsOwn(program, untaken);
    }
  }

  // many share one cancellation: what the join threw may have been for its caller
  private boolean joinIsUnclear(List<Life> untaken) {
    return kind == Kind.OPENED
        && threw instanceof Cancellation
        && !untaken.isEmpty()
        && untaken.getFirst().failure() == threw;
  }

  /// Those that no awaiter took, the earliest first.
  private List<Life> untaken() {
    List<Life> untaken = new ArrayList<>(members);
    untaken.removeIf(life -> life.failure() == null || life.wasTaken());
    untaken.sort(Comparator.comparingInt(Life::endedAs));
    return untaken;
  }

  /// It has failed: with the first of them, and the others stand in the report of that.
  private void accountForItsOwn(RandomProgram program, List<Life> untaken) {
    Throwable first = first(untaken);
    Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
    if (kind == Kind.OPENED && threw != first) {
      program.expect(Why.UNJOINED, first);
      addWithMerged(known, first);
    } else {
      addWithMerged(known, threw);
    }
    for (Life life : untaken) {
      program.check(
          known.contains(life.failure()),
          () ->
              "the failure of "
                  + life
                  + " was lost: "
                  + life.failure()
                  + "; "
                  + this
                  + " threw "
                  + threw);
    }
  }

  // a cancellation gives way to what comes after it
  private static @Nullable Throwable first(List<Life> untaken) {
    return untaken.stream()
        .map(Life::failure)
        .filter(failure -> !(failure instanceof Cancellation))
        .findFirst()
        .orElse(untaken.getFirst().failure());
  }

  /// A failure and all that gave way to it.
  private static void addWithMerged(Set<Throwable> known, @Nullable Throwable failure) {
    if (failure == null || !known.add(failure)) {
      return;
    }
    FailureReport report = Heddle.reportOf(failure);
    if (report != null) {
      report.merged().forEach(merged -> addWithMerged(known, merged));
    }
  }

  @Override
  public String toString() {
    return kind + " of " + members;
  }
}
