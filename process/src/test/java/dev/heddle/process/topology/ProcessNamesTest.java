// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Names, and those that wait for one.
@Timeout(300)
class ProcessNamesTest {
  private static final int ROUNDS = 50_000;

  private final Names names = new Names();

  private static final class Someone implements Ties.Owner {
    private final Pid pid = new Pid("", "h", 1, 1);
    private final Ties ties = new Ties(null);

    @Override
    public Ties ties() {
      return ties;
    }

    @Override
    public Pid self() {
      return pid;
    }

    @Override
    public boolean linkBreaks(Exit exit) {
      return false;
    }

    @Override
    public void linkBroken(Ties.Link link, Exit exit, boolean bySignal) {}

    @Override
    public void monitorFired(long monitor, Exit exit) {}
  }

  @Test
  @Tag("proc-335")
  void waiter_thatComesAsAnotherBeginsOrGivesUp_isTold() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Consumer<Ties.Owner> other = _ -> {};
    Thread others =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                names.await("name", _ -> true, other);
                names.giveUp("name", other);
              }
            });
    try {
      Someone owner = new Someone();
      AtomicInteger told = new AtomicInteger();
      for (int i = 1; i <= ROUNDS; i++) {
        names.await("name", _ -> true, _ -> told.incrementAndGet());
        assertThat(names.register("name", owner)).isNotNull();
        assertThat(told).hasValue(i);
        assertThat(names.unregister("name")).isTrue();
      }
    } finally {
      over.set(true);
      others.join();
    }
  }

  @Test
  @Tag("proc-155")
  void release_byAnotherThanItsOwner_leavesTheName() {
    Someone owner = new Someone();
    names.register("name", owner);
    names.release("name", new Someone());
    assertThat(names.find("name")).isSameAs(owner);
    names.release("name", owner);
    assertThat(names.find("name")).isNull();
  }
}
