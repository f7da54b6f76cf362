// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Reads that are cancelled, and reads that compete: no byte is lost, and none comes out of turn.
@Tag("T14")
@Tag("trap-30")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadOrderTest {
  @Test
  void cancelledRead_beforeAnyByteCame_leavesAllToTheNext() {
    Heddle.run(() -> {
      Connections connection = Connections.open();
      Coroutine<String> cancelled = Heddle.spawn(() -> connection.read(8));
      Connections.until(cancelled::isSuspended);
      cancelled.cancel("enough");
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
      connection.send("abc");
      assertThat(connection.read(8)).isEqualTo("abc");
      connection.peer().close();
    });
  }

  @Test
  @Tag("trap-1")
  void cancelledRead_afterItWasWokenAndBeforeItRan_leavesAllToTheNext() {
    Heddle.run(() -> {
      Connections connection = Connections.open();
      Coroutine<String> cancelled = Heddle.spawn(() -> connection.read(8));
      Connections.until(cancelled::isSuspended);
      connection.send("abc");
      Connections.until(() -> cancelled.isQueued() || cancelled.isDone());
      assertThat(cancelled.isQueued()).isTrue();
      cancelled.cancel("enough");
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
      assertThat(connection.read(8)).isEqualTo("abc");
      connection.peer().close();
    });
  }

  @Test
  void readWithDeadlines_whileBytesTrickleIn_losesNone() {
    String sent = "the quick brown fox jumps over the lazy dog".repeat(20);
    StringBuilder received = new StringBuilder();
    Heddle.run(() -> {
      Connections connection = Connections.open();
      Heddle.launch("sender", () -> trickle(connection, sent));
      while (received.length() < sent.length()) {
        try {
          received.append(
              Heddle.<String>withTimeout(Duration.ofNanos(20_000), () -> connection.read(3)));
        } catch (DeadlineException _) {
          // the point of it
        }
      }
      connection.peer().close();
    });
    assertThat(received).hasToString(sent);
  }

  private static void trickle(Connections connection, String text) throws Exception {
    for (int i = 0; i < text.length(); i += 2) {
      connection.send(text.substring(i, Math.min(text.length(), i + 2)));
      Heddle.delay(Duration.ofNanos(i % 7 * 10_000L));
    }
  }

  private static List<Coroutine<String>> readers(Connections connection, int count) {
    List<Coroutine<String>> readers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Coroutine<String> reader = Heddle.spawn(() -> connection.read(1));
      Connections.until(reader::isSuspended);
      readers.add(reader);
    }
    return readers;
  }

  @Test
  void concurrentReaders_areServedInTheOrderOfTheirCalls() {
    Heddle.run(() -> {
      Connections connection = Connections.open();
      List<Coroutine<String>> readers = readers(connection, 5);
      connection.send("abcde");
      assertThat(readers).extracting(Coroutine::await).containsExactly("a", "b", "c", "d", "e");
      connection.peer().close();
    });
  }

  @Test
  void concurrentReaders_oneOfThemCancelled_keepTheOrderOfTheOthers() {
    for (int gone = 0; gone < 3; gone++) {
      int cancelled = gone;
      Heddle.run(() -> {
        Connections connection = Connections.open();
        List<Coroutine<String>> readers = readers(connection, 3);
        Coroutine<String> victim = readers.remove(cancelled);
        victim.cancel("enough");
        assertThatThrownBy(victim::await).isInstanceOf(Cancellation.class);
        connection.send("ab");
        assertThat(readers).extracting(Coroutine::await).containsExactly("a", "b");
        connection.peer().close();
      });
    }
  }

  @Test
  @Tag("trap-1")
  void concurrentReaders_theFirstCancelledAsItsTurnComes_handItOn() {
    Heddle.run(() -> {
      Connections connection = Connections.open();
      List<Coroutine<String>> readers = readers(connection, 3);
      connection.send("ab");
      Connections.until(readers.get(0)::isDone);
      // its turn has been handed to it, it has not run yet
      readers.get(1).cancel("enough");
      assertThat(readers.get(2).await()).isEqualTo("b");
      connection.peer().close();
    });
  }

  @Test
  void concurrentWriters_ofLargeBuffers_doNotMixTheirBytes() {
    int size = 1 << 20;
    Heddle.run(() -> {
      Connections connection = Connections.open();
      for (byte letter = 'a'; letter < 'd'; letter++) {
        ByteBuffer filled = ByteBuffer.allocate(size);
        Arrays.fill(filled.array(), letter);
        Heddle.launch("writer", () -> connection.ours().write(filled));
      }
      for (byte letter = 'a'; letter < 'd'; letter++) {
        assertThat(connection.peer().getInputStream().readNBytes(size))
            .startsWith(letter)
            .endsWith(letter)
            .containsOnly(letter);
      }
      connection.peer().close();
    });
  }
}
