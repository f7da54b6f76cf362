// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.MANY;
import static dev.heddle.io.conformance.Streams.checksum;
import static dev.heddle.io.conformance.Streams.end;
import static dev.heddle.io.conformance.Streams.random;
import static dev.heddle.io.conformance.Streams.readAll;
import static dev.heddle.io.conformance.Streams.suspended;
import static dev.heddle.io.conformance.Streams.writeForEver;
import static dev.heddle.io.conformance.Streams.writeInPieces;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What those who wait for a stream see, on every driver: cancellation, deadlines, closing; and who
/// does not wait at all.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#all")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("streams")
class WaitConformanceTest implements OnDriver {
  private final Cell cell;

  WaitConformanceTest(Cell cell) {
    this.cell = cell;
  }

  @Override
  public String driver() {
    return cell.driver();
  }

  @Override
  public String handle() {
    return cell.kind().name();
  }

  // ---- cancel, deadlines ----

  @Test
  @Tag("trap-28")
  @Shows(Aspect.CANCEL)
  void reads_cancelledAtAnyPoint_loseNoByte() {
    cell.run(pair -> {
      byte[] sent = random(10, 200_000);
      Heddle.launch(
          "writer",
          () -> {
            writeInPieces(pair.sink(), sent, new Random(11));
            end(pair);
          });
      ByteBuffer got = ByteBuffer.allocate(sent.length);
      Random random = new Random(12);
      boolean[] ended = new boolean[1];
      while (!ended[0]) {
        Coroutine<Void> reader =
            Heddle.spawn(() -> {
              ByteBuffer into = ByteBuffer.allocate(1 + random.nextInt(3_000));
              ended[0] = pair.source().read(into) < 0;
              got.put(into.flip());
              return null;
            });
        for (int turns = random.nextInt(4); turns > 0; turns--) {
          Heddle.yieldNow();
        }
        reader.cancel("at some point");
        try {
          reader.await();
        } catch (Cancellation _) {
          // safe: most are, and what they had not taken is there for the next one
        }
      }
      assertThat(got.hasRemaining()).isFalse();
      assertThat(checksum(got.array())).isEqualTo(checksum(sent));
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void writes_cancelledUnderAFullBuffer_tellHowMuchHasLeft() {
    cell.run(pair -> {
      byte[] sent = random(13, 4 * MANY);
      ByteBuffer first = ByteBuffer.wrap(sent);
      Coroutine<Void> writer =
          suspended(() -> {
            pair.sink().write(first);
            return null;
          });
      writer.cancel("enough");
      assertThatThrownBy(writer::await).isInstanceOf(Cancellation.class);
      assertThat(first.position()).isPositive().isLessThan(sent.length);
      Heddle.launch(
          "rest",
          () -> {
            pair.sink().write(first);
            end(pair);
          });
      assertThat(checksum(readAll(pair.source()))).isEqualTo(checksum(sent));
    });
  }

  @Test
  @Tag("loop-254")
  @Tag("loop-262")
  @Shows(Aspect.DEADLINE)
  void read_pastItsDeadline_failsAndALaterOneSucceeds() {
    cell.run(pair -> {
      Deadline soon = Deadline.after(Duration.ofMillis(5));
      assertThatThrownBy(() -> pair.source().read(ByteBuffer.allocate(5), soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(
              () -> Heddle.withTimeout(Duration.ofMillis(5), () -> pair.source().readLine()))
          .isInstanceOf(DeadlineException.class);
      pair.sink().write(StandardCharsets.UTF_8.encode("later\n"));
      assertThat(pair.source().readLine()).isEqualTo("later");
    });
  }

  @Test
  @Tag("loop-262")
  @Shows(Aspect.DEADLINE)
  void write_pastItsDeadline_tellsHowMuchHasLeft() {
    cell.run(pair -> {
      ByteBuffer much = ByteBuffer.allocate(4 * MANY);
      for (int millis = 20; much.position() == 0; millis *= 2) {
        // on a slow machine the deadline comes before the first byte has left
        Deadline soon = Deadline.after(Duration.ofMillis(millis));
        assertThatThrownBy(() -> pair.sink().write(much, soon))
            .isInstanceOf(DeadlineException.class);
      }
      ByteBuffer got = ByteBuffer.allocate(much.position());
      pair.source().readFully(got);
    });
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void deadline_ofAWriteBehindLateOnes_runsOut() {
    cell.run(pair -> {
      pair.sink().writeLater(ByteBuffer.allocate(4 * MANY));
      Deadline soon = Deadline.after(Duration.ofMillis(20));
      assertThatThrownBy(() -> pair.sink().write(ByteBuffer.allocate(1), soon))
          .isInstanceOf(DeadlineException.class);
    });
  }

  @Test
  void lateWrite_toWhatIsOnlyReadFrom_isKeptAsAFailure() {
    cell.run(pair -> {
      if (cell.kind() == Pair.Kind.PIPE) {
        pair.source().writeLater(ByteBuffer.allocate(1));
        while (pair.source().writeFailure() == null) {
          Heddle.yieldNow();
        }
      }
    });
  }

  @Test
  void buffer_thatMustNotBeWrittenTo_isRefused() {
    cell.run(pair -> {
      pair.sink().write(ByteBuffer.allocate(1));
      assertThatThrownBy(() -> pair.source().read(ByteBuffer.allocateDirect(1).asReadOnlyBuffer()))
          .isInstanceOfAny(IllegalArgumentException.class, ReadOnlyBufferException.class);
      assertThat(pair.source().read(ByteBuffer.allocate(1))).isEqualTo(1);
    });
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void deadlines_ofQueuedWaiters_expireWhileTheyWait() {
    cell.run(pair -> {
      Coroutine<Integer> first = suspended(() -> pair.source().read(ByteBuffer.allocate(5)));
      assertThatThrownBy(() ->
              pair.source().read(ByteBuffer.allocate(5), Deadline.after(Duration.ofMillis(5))))
          .isInstanceOf(DeadlineException.class);
      pair.sink().write(ByteBuffer.allocate(3));
      assertThat(first.await()).isEqualTo(3);
    });
  }

  // ---- close ----

  @Test
  @Tag("loop-250")
  @Tag("trap-31")
  @Shows(Aspect.CLOSE)
  void close_underReaders_endsThemAll() {
    cell.run(pair -> {
      Coroutine<Integer> first = suspended(() -> pair.source().read(ByteBuffer.allocate(5)));
      Coroutine<String> second = suspended(() -> pair.source().readLine());
      pair.source().close();
      assertThatThrownBy(first::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(second::await).hasCauseInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(() -> pair.source().read(ByteBuffer.allocate(5)))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(pair.source().isOpen()).isFalse();
    });
  }

  @Test
  @Tag("trap-31")
  @Shows(Aspect.CLOSE)
  void close_underWriters_endsThemAll() {
    cell.run(pair -> {
      Coroutine<Void> first = suspended(() -> writeForEver(pair.sink()));
      Coroutine<Void> second = suspended(() -> writeForEver(pair.sink()));
      pair.sink().close();
      assertThatThrownBy(first::await).hasCauseInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(second::await).hasCauseInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  @Shows(Aspect.END)
  void close_tellsThePeerWhoWaits() {
    cell.run(pair -> {
      Coroutine<byte[]> peer = suspended(() -> readAll(pair.source()));
      pair.sink().close();
      assertThat(peer.await()).isEmpty();
    });
  }

  // ---- without a wait ----

  @Test
  void read_ofWhatIsThere_doesNotSuspend() {
    cell.run(pair -> {
      pair.sink().write(ByteBuffer.allocate(10));
      pair.source().read(ByteBuffer.allocate(1));
      Heddle.assertNoSuspend(() -> {
        assertThat(pair.source().read(ByteBuffer.allocate(1))).isEqualTo(1);
      });
      assertThat(pair.source().read(ByteBuffer.allocate(0))).isZero();
    });
  }

  @Test
  @Tag("loop-297")
  void writesForLater_leaveBeforeThoseThatFollow() {
    cell.run(pair -> {
      byte[] sent = random(14, 3 * MANY);
      Heddle.assertNoSuspend(() -> {
        pair.sink().writeLater(ByteBuffer.wrap(sent, 0, MANY));
        pair.sink().writeLater(ByteBuffer.wrap(sent, MANY, MANY), Long.MAX_VALUE);
      });
      Heddle.launch(
          "last",
          () -> {
            pair.sink().write(ByteBuffer.wrap(sent, 2 * MANY, MANY));
            end(pair);
          });
      assertThat(checksum(readAll(pair.source()))).isEqualTo(checksum(sent));
      assertThat(pair.sink().writeFailure()).isNull();
    });
  }

  @Test
  @Tag("loop-297")
  void writesForLater_thatFail_areKeptOnTheHandle() {
    cell.run(pair -> {
      pair.source().close();
      try {
        writeForEver(pair.sink());
      } catch (IOException _) {
        // safe: now the end of the other side is known, and the next write fails
      }
      pair.sink().writeLater(ByteBuffer.allocate(1));
      assertThatThrownBy(pair.sink()::flush).isInstanceOf(IOException.class);
      assertThat(pair.sink().writeFailure()).isNotNull();
      assertThatThrownBy(() -> pair.sink().write(ByteBuffer.allocate(1)))
          .hasMessageContaining("earlier write");
    });
  }
}
