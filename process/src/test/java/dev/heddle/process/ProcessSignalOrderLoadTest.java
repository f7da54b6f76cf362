// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many senders of all kinds, and one that is told of their ends.
@Timeout(300)
class ProcessSignalOrderLoadTest {
  private static final long SEED = Long.getLong("heddle.seed", 20_261_125);
  private static final StartOptions ROOMY =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.shutdown(Duration.ofMillis(100));
  }

  private record Numbered(Pid from, int number) {}

  /// Sends its parent some messages, then ends in one way or another.
  private static Process sender(int messages, boolean body, boolean fails) {
    if (body) {
      return CoroutineProcess.of(self -> {
        sendAll(self.context(), messages, fails);
        return null;
      });
    }
    return Kit.process((self, _, out) -> {
      sendAll(self, messages, fails);
      out.done();
    });
  }

  private static void sendAll(ProcessContext self, int messages, boolean fails) {
    Pid parent = Objects.requireNonNull(self.parent());
    for (int i = 1; i <= messages; i++) {
      self.send(parent, new Numbered(self.self(), i));
    }
    if (fails) {
      throw new IllegalStateException("on purpose");
    }
  }

  /// Says how many messages of each it had seen when it was told of its end.
  private static final class Watcher {
    final List<Process> senders;
    final Map<Pid, Integer> messages = new HashMap<>();
    final Map<Pid, Integer> atTheEnd = new HashMap<>();

    Watcher(List<Process> senders) {
      this.senders = senders;
    }

    void begin(ProcessContext self) {
      for (Process sender : senders) {
        self.monitor(self.spawn(sender));
      }
    }

    void sees(@Nullable Object message) {
      if (message instanceof Numbered(Pid from, int number)) {
        assertThat(messages.merge(from, 1, Integer::sum)).as("of %s", from).isEqualTo(number);
      } else if (message instanceof ProcessSignal.Down(_, Exit exit)) {
        atTheEnd.put(exit.pid(), messages.getOrDefault(exit.pid(), 0));
      }
    }

    boolean isDone() {
      return atTheEnd.size() == senders.size();
    }

    Process asBody() {
      return CoroutineProcess.of(self -> {
        begin(self.context());
        while (!isDone()) {
          sees(self.receive(m -> m instanceof Numbered || m instanceof ProcessSignal));
        }
        return null;
      });
    }

    Process asSteps() {
      return new Process() {
        @Override
        public void init(ProcessContext self, String method, @Nullable Object input) {
          begin(self);
        }

        @Override
        public void step(List<ProcessEvent> events, StepOutput out) {
          events.forEach(event -> sees(event.data()));
          if (isDone()) {
            out.done();
          }
        }
      };
    }
  }

  @Test
  @Tag("proc-230")
  void manySenders_ofAllKinds_areSeenToEndBehindTheirLastMessage() {
    Random random = new Random(SEED);
    for (int round = 0; round < 60; round++) {
      List<Process> senders = new ArrayList<>();
      List<Integer> expected = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        expected.add(random.nextInt(200));
        senders.add(sender(expected.getLast(), random.nextInt(4) == 0, random.nextInt(20) == 0));
      }
      Watcher watcher = new Watcher(senders);
      Process process = random.nextBoolean() ? watcher.asBody() : watcher.asSteps();
      StartOptions how = random.nextBoolean() ? ROOMY : StartOptions.defaults();
      Exit exit = Kit.exit(runtime, runtime.spawn(process, how));
      assertThat(exit.cause()).as("seed %d, round %d", SEED, round).isNull();
      assertThat(watcher.atTheEnd.values()).containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
