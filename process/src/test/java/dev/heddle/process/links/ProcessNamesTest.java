// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

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

  private final NameRegistry nameRegistry = new NameRegistry();

  private static final class Someone implements ProcessLinks.Owner {
    private final Pid pid = new Pid("", "h", 1, 1);
    private final ProcessLinks processLinks = new ProcessLinks(null);

    @Override
    public ProcessLinks processLinks() {
      return processLinks;
    }

    @Override
    public Pid self() {
      return pid;
    }

    @Override
    public boolean decideLinkExit(Exit exit) {
      return false;
    }

    @Override
    public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {}

    @Override
    public void monitorFired(long monitor, Exit exit) {}
  }

  @Test
  @Tag("proc-335")
  void waiter_thatComesAsAnotherBeginsOrGivesUp_isNotified() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Consumer<ProcessLinks.Owner> other = _ -> {};
    Thread others =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                nameRegistry.await("name", _ -> true, other);
                nameRegistry.stopWaiting("name", other);
              }
            });
    try {
      Someone owner = new Someone();
      AtomicInteger told = new AtomicInteger();
      for (int i = 1; i <= ROUNDS; i++) {
        nameRegistry.await("name", _ -> true, _ -> told.incrementAndGet());
        assertThat(nameRegistry.register("name", owner)).isNotNull();
        assertThat(told).hasValue(i);
        assertThat(nameRegistry.unregister("name")).isTrue();
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
    nameRegistry.register("name", owner);
    nameRegistry.release("name", new Someone());
    assertThat(nameRegistry.find("name")).isSameAs(owner);
    nameRegistry.release("name", owner);
    assertThat(nameRegistry.find("name")).isNull();
  }
}
