// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.MANY;
import static dev.heddle.io.conformance.Streams.checksum;
import static dev.heddle.io.conformance.Streams.end;
import static dev.heddle.io.conformance.Streams.random;
import static dev.heddle.io.conformance.Streams.readAll;
import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// How much a handle keeps in memory for a peer, of what it sends and of what it does not read.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#all")
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimitConformanceTest {
  // more than sockets take, also where an administrator lets them have much
  private static final ByteBuffer TOO_MANY = ByteBuffer.allocateDirect(48 * MANY);

  private final Cell cell;

  LimitConformanceTest(Cell cell) {
    this.cell = cell;
  }

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  // ---- lines ----

  @Test
  void line_longerThanTheLimit_isRefusedByNameAndNotLost() {
    cell.run(pair -> {
      pair.sink().write(bytes("12345\r\n123456\nlast\r"));
      end(pair);
      assertThat(pair.source().readLineUpTo(5)).isEqualTo("12345");
      assertThatThrownBy(() -> pair.source().readLineUpTo(5))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the limit of 5 bytes")
          .hasMessageContaining("readLineUpTo()");
      assertThat(pair.source().readLineUpTo(6)).isEqualTo("123456");
      assertThatThrownBy(() -> pair.source().readLineUpTo(4)).isInstanceOf(IOException.class);
      assertThat(pair.source().readLineUpTo(5)).isEqualTo("last\r");
      assertThat(pair.source().readLineUpTo(5)).isNull();
      assertThatThrownBy(() -> pair.source().readLineUpTo(0))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }

  @Test
  void line_thatNeverEnds_isRefusedWhileItsPeerGoesOn() {
    cell.run(pair -> {
      Coroutine<Void> peer = Heddle.spawn(() -> Streams.writeForEver(pair.sink()));
      assertThatThrownBy(() -> pair.source().readLine())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the limit of 65536 bytes");
      peer.cancel("enough");
      assertThatThrownBy(peer::await).isInstanceOf(Cancellation.class);
    });
  }

  @Test
  void line_ofMegabytes_isReadWhereTheCallerAllowsIt() {
    cell.run(pair -> {
      String line = "x".repeat(4 * MANY);
      Heddle.launch("peer", () -> pair.sink().write(bytes(line + "\nnext\n")));
      assertThat(pair.source().readLineUpTo(Integer.MAX_VALUE)).isEqualTo(line);
      assertThat(pair.source().readLine()).isEqualTo("next");
    });
  }

  // ---- writes for later ----

  /// Has the line of writers, until the peer has read it all.
  private static Coroutine<Void> filling(AsyncIo sink) {
    return suspended(() -> {
      sink.write(TOO_MANY.duplicate());
      return null;
    });
  }

  @Test
  void writeLater_overItsBound_waitsUntilThePeerReads() {
    cell.run(pair -> {
      AsyncIo sink = pair.sink();
      byte[] sent = random(31, MANY);
      int quarter = MANY / 4;
      Coroutine<Void> filler = filling(sink);
      Heddle.assertNoSuspend(() -> sink.writeLater(ByteBuffer.wrap(sent, 0, quarter)));
      Coroutine<Void> over =
          suspended(() -> {
            sink.writeLater(ByteBuffer.wrap(sent, quarter, quarter));
            return null;
          });
      Coroutine<Void> behind =
          suspended(() -> {
            // its bound would let it go on, but it came later
            sink.writeLater(ByteBuffer.wrap(sent, 2 * quarter, quarter), Long.MAX_VALUE);
            return null;
          });
      Coroutine<Void> last =
          suspended(() -> {
            sink.write(ByteBuffer.wrap(sent, 3 * quarter, quarter));
            end(pair);
            return null;
          });
      byte[] got = readAll(pair.source());
      byte[] behindTheFirst = Arrays.copyOfRange(got, TOO_MANY.capacity(), got.length);
      assertThat(checksum(behindTheFirst)).isEqualTo(checksum(sent));
      filler.await();
      over.await();
      behind.await();
      last.await();
    });
  }

  @Test
  void writeLater_cancelledOverItsBound_hasTakenNothing() {
    cell.run(pair -> {
      AsyncIo sink = pair.sink();
      Coroutine<Void> filler = filling(sink);
      sink.writeLater(ByteBuffer.allocate(7));
      ByteBuffer more = ByteBuffer.wrap(new byte[] {1, 1, 1});
      Coroutine<Void> over =
          suspended(() -> {
            sink.writeLater(more, 0);
            return null;
          });
      over.cancel("enough");
      assertThatThrownBy(over::await).isInstanceOf(Cancellation.class);
      assertThat(more.remaining()).isEqualTo(3);
      Heddle.assertNoSuspend(() -> sink.writeLater(ByteBuffer.allocate(7), 7));
      Heddle.launch(
          "end",
          () -> {
            sink.flush();
            end(pair);
          });
      byte[] got = readAll(pair.source());
      assertThat(Arrays.equals(got, new byte[TOO_MANY.capacity() + 14])).isTrue();
      filler.await();
      assertThatThrownBy(() -> sink.writeLater(more, -1))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }
}
