// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.CancelMode;
import dev.heddle.simulation.Circle.Kind;
import java.time.Duration;
import java.util.Random;

/// What one coroutine of a random program does: steps that its own chance draws, in any order.
final class Steps {
  private static final int DEEPEST = 4; // blocks in blocks
  private static final int LONGEST = 7; // steps a block

  private final Life life;
  private final RandomProgram program;
  private final Random random;
  private final Shields shields;
  private final Waits waits;
  private final Blocks blocks;

  Steps(Life life, RandomProgram program, Random random, Shields shields) {
    this.life = life;
    this.program = program;
    this.random = random;
    this.shields = shields;
    this.waits = new Waits(life, program, random, shields);
    this.blocks = new Blocks(life, program, random, shields, this);
  }

  /// Some steps, at most so many as the program may still take.
  void some(int depth) {
    int many = 1 + random.nextInt(LONGEST);
    for (int i = 0; i < many && program.spend(); i++) {
      step(depth);
    }
  }

  private void step(int depth) {
    int dice = random.nextInt(depth < DEEPEST ? 100 : 72);
    if (dice < 14) {
      waits.suspend();
    } else if (dice < 24) {
      waits.delay();
    } else if (dice < 38) {
      spawn();
    } else if (dice < 46) {
      waits.awaitChild();
    } else if (dice < 53) {
      waits.awaitAnybody();
    } else if (dice < 58) {
      cancelSomebody();
    } else if (dice < 64) {
      waits.usePledge();
    } else if (dice < 67) {
      waits.useTrigger();
    } else if (dice < 69) {
      fail();
    } else if (dice < 72) {
      small();
    } else if (dice < 80) {
      blocks.scope(depth, random.nextBoolean() ? Kind.BLOCK : Kind.SUPERVISED);
    } else if (dice < 84) {
      blocks.opened(depth);
    } else if (dice < 88) {
      blocks.within(depth);
    } else if (dice < 92) {
      blocks.protect(depth);
    } else if (dice < 97) {
      blocks.catching(depth);
    } else {
      waits.locked();
    }
  }

  private void small() {
    switch (random.nextInt(4)) {
      case 0 -> waits.check();
      case 1 -> life.handle().setHighPriority();
      case 2 -> cancelScope();
      default -> {
        if (random.nextInt(40) == 0) {
          program.note(life, "shuts the loop down");
          program.stops();
          Heddle.shutdown(Duration.ofSeconds(10));
        }
      }
    }
  }

  private void fail() {
    throw new Fault(life + " fails " + program.nextSerial());
  }

  private void spawn() {
    Circle circle = random.nextInt(4) == 0 ? life.home() : life.currentCircle();
    Life child = new Life(program, circle, program.nextSerial(), new Random(random.nextLong()));
    try {
      if (random.nextInt(8) == 0) {
        child.goInBackground();
        circle.scope.background("b" + child.number(), child::live);
      } else {
        child.spawnedAs(circle.scope.spawn(child::live));
        life.children().add(child);
      }
    } catch (IllegalStateException e) {
      program.note(life, "is refused a spawn");
      return;
    } catch (Cancellation c) {
      shields.met(c, "spawn");
      throw c;
    }
    circle.members.add(child);
    program.newLife(child);
    program.note(life, "spawns " + child + " into " + circle.kind);
  }

  private void cancelSomebody() {
    Life other = random.nextInt(3) == 0 ? life : program.anyLife(random);
    if (other.hasHandle() && !other.isMain()) {
      program.note(life, "cancels " + other);
      other.cancel(new Cancellation(life + " cancels " + program.nextSerial()));
    }
  }

  private void cancelScope() {
    Circle innermost = life.currentCircle();
    if (innermost != life.home()) {
      boolean gently = random.nextInt(3) == 0;
      program.note(life, "cancels its scope");
      innermost.scope.cancel(
          life + " cancels " + program.nextSerial(), gently ? CancelMode.DRAIN : CancelMode.ALL);
    }
  }
}
