// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.simulation.Circle.Kind;
import dev.heddle.simulation.Shields.Region;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// The blocks that one coroutine of a random program runs: scopes, limits, protection. Each ends
/// with what it promises, made of what its body threw.
final class Blocks {
  private final Life life;
  private final RandomProgram program;
  private final Random random;
  private final Shields shields;
  private final Steps steps;

  Blocks(Life life, RandomProgram program, Random random, Shields shields, Steps steps) {
    this.life = life;
    this.program = program;
    this.random = random;
    this.shields = shields;
    this.steps = steps;
  }

  /// Some steps inside a block, and what they threw.
  private final class Inner {
    private final int depth;
    @Nullable Throwable threw;
    @Nullable Circle circle; // of the block, if it is a scope

    Inner(int depth) {
      this.depth = depth + 1;
    }

    void run() {
      try {
        steps.some(depth);
      } catch (Throwable e) {
        threw = e;
        throw e;
      }
    }

    @Nullable Object runIn(Kind kind, Scope scope) {
      Circle entered = program.newCircle(kind, scope);
      circle = entered;
      life.enter(entered);
      shields.openBlock();
      try {
        run();
      } finally {
        shields.closeBlock();
        life.exit();
      }
      return null;
    }
  }

  // ---- scopes ----

  void scope(int depth, Kind kind) {
    Inner inner = new Inner(depth);
    Step block =
        () -> {
          if (kind == Kind.BLOCK) {
            Heddle.scope(s -> inner.runIn(kind, s));
          } else {
            Heddle.supervise(s -> inner.runIn(kind, s));
          }
        };
    Throwable threw = outcomeOf(kind.toString(), block);
    if (inner.circle != null) {
      inner.circle.over(program, threw);
    }
    shields.endedBlock(threw);
    passOn(threw);
  }

  void opened(int depth) {
    Inner inner = new Inner(depth);
    Throwable[] joined = new Throwable[1];
    Step block =
        () -> {
          try (Scope scope = Scope.open()) {
            inner.runIn(Kind.OPENED, scope);
            if (random.nextInt(4) != 0) {
              joined[0] = Step.outcomeOf(scope::join);
              Step.rethrow(joined[0]);
            }
          }
        };
    Throwable threw = outcomeOf("open scope", block);
    if (inner.circle != null) {
      inner.circle.over(program, joined[0]);
    }
    shields.endedBlock(threw);
    if (threw != null) {
      // what close() threw, too, or somebody may have missed a cancellation
      List.of(threw.getSuppressed()).forEach(shields::endedBlock);
    }
    passOn(threw);
  }

  // ---- limits, protection, handlers ----

  void within(int depth) {
    Duration limit = program.newLimit(random);
    Inner inner = new Inner(depth);
    Region region = shields.newRegion("withTimeout(" + limit + ") expired", limit);
    Step body =
        () -> {
          shields.open(region);
          try {
            inner.run();
          } finally {
            shields.close(region);
          }
        };
    Throwable threw = outcomeOf("within", () -> Heddle.withTimeout(limit, body::take));
    if (region.isOwn(inner.threw)) {
      program.check(
          threw instanceof DeadlineException && program.now() >= region.deadline,
          () -> life + ": withTimeout(" + limit + ") made of its cancellation " + threw);
    } else if (inner.threw == null && (region.mayHaveCut() || program.isPast())) {
      // past the shutdown deadline it may have been cut, through all shields
      program.check(
          threw instanceof DeadlineException || (threw == null && !region.hasCut()),
          () -> life + ": within was overrun in silence: " + threw);
    } else {
      program.check(
          threw == inner.threw, () -> life + ": within threw " + threw + " for " + inner.threw);
    }
    passOn(threw);
  }

  void protect(int depth) {
    Inner inner = new Inner(depth);
    Step body =
        () -> {
          shields.raise();
          try {
            inner.run();
          } finally {
            shields.lower();
          }
        };
    Throwable threw = outcomeOf("protect", () -> Heddle.shield(body::take));
    if (inner.threw == null && threw instanceof Cancellation c) {
      shields.met(c, "protect");
    } else {
      program.check(threw == inner.threw, () -> life + ": protect threw " + threw);
      program.check(
          threw != null || !shields.mustThrow(), () -> life + ": protect lost a cancellation");
    }
    passOn(threw);
  }

  /// A handler for exceptions lets cancellations pass; now and then somebody catches these, too.
  void catching(int depth) {
    boolean all = random.nextInt(3) == 0;
    try {
      steps.some(depth + 1);
    } catch (Exception e) {
      program.note(life, "catches " + Step.nameOf(e));
    } catch (Error e) {
      program.note(life, "catches " + Step.nameOf(e));
      if (!all) {
        throw e;
      }
    }
  }

  private @Nullable Throwable outcomeOf(String what, Step block) {
    Throwable threw = Step.outcomeOf(block);
    program.note(life, what + " ends with " + Step.nameOf(threw));
    return threw;
  }

  private void passOn(@Nullable Throwable threw) {
    if (threw != null && random.nextInt(3) != 0) {
      throw Step.<RuntimeException>sneaky(threw);
    }
  }
}
