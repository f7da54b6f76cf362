// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.os.pipe.PipeSource;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How long the output of a child that has ended is listened to, in virtual time.
@Tag("T13.8")
@Timeout(300)
class ChildOutputTest {
  private static final Duration SILENCE = Duration.ofSeconds(1);

  /// A pipe whose thread brings the last words when the test says so, and then the end.
  private static final class LateSource implements PipeSource {
    private final Promise<Boolean> brought = Heddle.promise("what the thread brings");
    private final ByteBuffer words = StandardCharsets.UTF_8.encode("last words");
    private boolean closed;

    @Override
    public int read(ByteBuffer buffer) {
      int count = words.hasRemaining() ? words.remaining() : -1;
      buffer.put(words);
      return count;
    }

    @Override
    public EventSource ready() {
      return EventSource.of(brought.future());
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static ChildOutput output(LateSource source, Command command) {
    Promise<Integer> exit = Heddle.promise("the end");
    exit.complete(0);
    return new ChildOutput(
        CoroutineNode.current().scheduler(), source, exit.future(), command.settings());
  }

  private static Coroutine<String> reading(LateSource source) {
    ChildOutput output = output(source, Command.of("any").withDrainTimeout(SILENCE));
    Coroutine<String> reader =
        Heddle.spawn(() -> new String(output.readAllBytes(), StandardCharsets.UTF_8));
    while (!reader.isSuspended()) {
      Heddle.yieldNow();
    }
    return reader;
  }

  /// Output got lost: its end was taken for silence before the thread that reads had its turn.
  @Test
  void output_thatWasThereWhenTheMachineStoodStill_isNotTakenForSilence() {
    VirtualTime.runWithPauses(standStill -> {
      LateSource source = new LateSource();
      Coroutine<String> reader = reading(source);
      standStill.accept(SILENCE.multipliedBy(5));
      Heddle.delay(Duration.ofMillis(10)); // then the thread has its turn
      source.brought.complete(true);
      assertThat(reader.await()).isEqualTo("last words");
    });
  }

  @Test
  void line_longerThanItsLimit_isRefusedAndNotLost() {
    VirtualTime.runWithPauses(_ -> {
      LateSource source = new LateSource();
      source.brought.complete(true);
      ChildOutput output = output(source, Command.of("any").withLineLimit(9));
      assertThatThrownBy(output::readLine)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the limit of 9 bytes")
          .hasMessageContaining("withLineLimit");
      assertThatThrownBy(() -> output.readLineUpTo(0)).isInstanceOf(IllegalArgumentException.class);
      Coroutine<String> again = Heddle.spawn(() -> output.readLineUpTo(10));
      assertThat(again.await()).isEqualTo("last words");
    });
  }

  @Test
  void output_longerThanItsLimit_isRefusedAndNotLost() {
    VirtualTime.runWithPauses(_ -> {
      LateSource source = new LateSource();
      source.brought.complete(true);
      ChildOutput output = output(source, Command.of("any").withOutputLimit(9));
      assertThatThrownBy(output::readAllBytes)
          .isInstanceOfSatisfying(
              OutputLimitException.class,
              e -> assertThat(e.bytes()).asString(StandardCharsets.UTF_8).isEqualTo("last word"));
      assertThat(Heddle.<String>spawn(output::readLine).await()).isEqualTo("last words");
    });
  }

  @Test
  void output_thatOthersHoldOpen_isGivenUpWhenTheSilenceHasLasted() {
    VirtualTime.runWithPauses(_ -> {
      LateSource source = new LateSource();
      Coroutine<String> reader = reading(source);
      Heddle.delay(SILENCE.minusMillis(1));
      assertThat(reader.isDone()).isFalse();
      assertThat(reader.await()).isEmpty();
      assertThat(source.closed).isTrue();
    });
  }
}
