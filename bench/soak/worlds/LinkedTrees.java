// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StepOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// Trees of links are grown, and their root fails.
///
/// *Invariant*: all that are linked end, with a reason that is no normal end; those that trap exits
/// are told once, and live; those that have undone their link hear nothing, and live.
final class LinkedTrees extends World {
  private static final long ENOUGH = 3_000; // processes

  LinkedTrees(Round round) {
    super(round, "linked trees", ENOUGH);
  }

  @Override
  void begin() {
    Random random = random();
    thread(() -> {
      while (goesOn()) {
        new Tree(random).growAndFall();
      }
    });
  }

  private final class Tree {
    private final Random random;
    private final List<Pid> linked = new ArrayList<>(); // the root first
    private final List<Pid> apart = new ArrayList<>();
    private final List<Pid> trapping = new ArrayList<>();
    private final AtomicInteger told = new AtomicInteger(); // of those that trap
    private final CountDownLatch grown;
    private final int size;

    Tree(Random random) {
      this.random = random;
      this.size = 5 + random.nextInt(40);
      this.grown = new CountDownLatch(size - 1);
    }

    void growAndFall() throws InterruptedException {
      linked.add(spawn(root()));
      for (int i = 1; i < size; i++) {
        Pid up = linked.get(random.nextInt(linked.size()));
        boolean leaves = random.nextInt(8) == 0;
        boolean traps = random.nextInt(8) == 0;
        Pid member = spawn(member(up, leaves, traps));
        (leaves ? apart : traps ? trapping : linked).add(member);
      }
      await("a tree to be linked", () -> grown.getCount() == 0 || round().isCut());
      runtime().offer(linked.getFirst(), "fail");
      for (Pid pid : linked) {
        Exit exit = awaitExit(pid);
        check(exit.isAbnormal() || round().isCut(), () -> "one that was linked: " + exit);
        did();
      }
      await(
          "those that trap to be told",
          () -> told.get() >= trapping.size() || round().isCut());
      if (!round().isCut()) {
        check(told.get() == trapping.size(), () -> told + " were told, of " + trapping.size());
      }
      for (Pid pid : apart) {
        check(lives(pid), () -> "has left its tree, and ended: " + runtime().whenExited(pid));
        terminate(pid);
      }
      for (Pid pid : trapping) {
        check(lives(pid), () -> "traps exits, and ended: " + runtime().whenExited(pid));
        terminate(pid);
      }
    }

    private boolean lives(Pid pid) {
      return runtime().process(pid) != null || round().isCut();
    }

    private Process root() {
      return Actor.of((_, events, _) -> {
        if (!events.isEmpty()) {
          throw new Crash();
        }
      });
    }

    private Process member(Pid up, boolean leaves, boolean traps) {
      return new Actor() {
        private boolean hasBegun;

        @Override
        public void step(List<ProcessEvent> events, StepOutput out) {
          if (!hasBegun) {
            hasBegun = true;
            begin(self());
          }
          for (ProcessEvent event : events) {
            if (event.data() instanceof ProcessSignal.LinkDown) {
              check(!leaves, () -> "told by a link that was undone: " + event.data());
              told.incrementAndGet();
            } else if (event.data() instanceof ProcessSignal.Cancel) {
              out.done();
            }
          }
        }

        private void begin(ProcessContext self) {
          if (traps) {
            self.trapExits();
          }
          self.link(up);
          if (leaves) {
            self.unlink(up);
          }
          grown.countDown();
        }
      };
    }
  }

  @Override
  void end() throws InterruptedException {
    awaitThreads();
  }
}
