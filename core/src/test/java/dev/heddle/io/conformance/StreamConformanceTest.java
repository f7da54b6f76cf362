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

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.StreamSocket;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What every stream of bytes does on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#all")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("streams")
class StreamConformanceTest implements OnDriver {
  private final Cell cell;

  StreamConformanceTest(Cell cell) {
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

  // ---- integrity ----

  @Test
  @Tag("loop-252")
  @Shows(Aspect.INTEGRITY)
  void bytes_ofRandomSizesAndPauses_arriveWholeAndInOrder() {
    cell.run(pair -> {
      byte[] sent = random(1, 3 * MANY + 17);
      Heddle.launch(
          "writer",
          () -> {
            writeInPieces(pair.sink(), sent, new Random(2));
            end(pair);
          });
      Random random = new Random(3);
      byte[] got = new byte[sent.length];
      int at = 0;
      while (true) {
        ByteBuffer into =
            random.nextBoolean()
                ? ByteBuffer.allocate(1 + random.nextInt(50_000))
                : ByteBuffer.allocateDirect(1 + random.nextInt(50_000));
        int n = pair.source().read(into);
        if (n < 0) {
          break;
        }
        assertThat(into.position()).isEqualTo(n).isPositive();
        into.flip().get(got, at, n);
        at += n;
        if (random.nextInt(5) == 0) {
          Heddle.yieldNow();
        }
      }
      assertThat(at).isEqualTo(sent.length);
      assertThat(checksum(got)).isEqualTo(checksum(sent));
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void bytes_bothWaysAtOnce_arriveWhole() {
    cell.run(pair -> {
      if (!cell.kind().isSocket()) {
        return;
      }
      byte[] there = random(4, 2 * MANY);
      byte[] back = random(5, 2 * MANY);
      Heddle.launch("there", () -> pair.sink().write(ByteBuffer.wrap(there)));
      Heddle.launch("back", () -> pair.source().write(ByteBuffer.wrap(back)));
      ByteBuffer gotBack = ByteBuffer.allocate(back.length);
      Coroutine<Void> reader =
          Heddle.spawn(() -> {
            pair.sink().readFully(gotBack);
            return null;
          });
      ByteBuffer gotThere = ByteBuffer.allocate(there.length);
      pair.source().readFully(gotThere);
      reader.await();
      assertThat(checksum(gotThere.array())).isEqualTo(checksum(there));
      assertThat(checksum(gotBack.array())).isEqualTo(checksum(back));
    });
  }

  @Test
  @Tag("trap-32")
  @Shows(Aspect.INTEGRITY)
  void writes_ofMoreBuffersThanTheSystemTakes_arriveWhole() {
    cell.run(pair -> {
      byte[] sent = random(6, 300_000);
      List<ByteBuffer> buffers = new ArrayList<>();
      for (int at = 0; at < sent.length; at += 100) {
        buffers.add(ByteBuffer.wrap(sent, at, 100).slice());
        buffers.add(ByteBuffer.allocate(0));
      }
      Heddle.launch(
          "writer",
          () -> {
            pair.sink().writeAll(buffers.toArray(ByteBuffer[]::new));
            end(pair);
          });
      assertThat(checksum(readAll(pair.source()))).isEqualTo(checksum(sent));
      assertThat(buffers).noneMatch(ByteBuffer::hasRemaining);
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void segments_ofNativeMemory_areReadAndWritten() {
    cell.run(pair -> {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_BYTE, random(7, 1_000));
        pair.sink().write(out);
        MemorySegment in = arena.allocate(1_000);
        long got = 0;
        while (got < 1_000) {
          got += pair.source().read(in.asSlice(got));
        }
        assertThat(in.mismatch(out)).isEqualTo(-1);
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void slicesAndPositions_ofBuffers_areKept() {
    cell.run(pair -> {
      ByteBuffer direct =
          ByteBuffer.allocateDirect(10).put("..abcdef..".getBytes(StandardCharsets.UTF_8));
      pair.sink().write(direct.position(2).limit(5));
      pair.sink().write(direct.limit(8).slice().asReadOnlyBuffer());
      assertThat(direct.position()).isEqualTo(5);
      ByteBuffer in = ByteBuffer.allocateDirect(10).position(3).limit(9).slice();
      pair.source().readFully(in);
      assertThat(StandardCharsets.UTF_8.decode(in.flip()).toString()).isEqualTo("abcdef");
    });
  }

  @Test
  @Tag("loop-249")
  @Shows(Aspect.INTEGRITY)
  void lines_ofAllKinds_areRead() {
    cell.run(pair -> {
      String longLine = "ä".repeat(20_000);
      Heddle.launch(
          "writer",
          () -> {
            String text = "one\r\n\ntwo\r\r\n" + longLine + "\nlast, without an end";
            for (byte b : text.substring(0, 14).getBytes(StandardCharsets.UTF_8)) {
              pair.sink().write(ByteBuffer.wrap(new byte[] {b}));
            }
            pair.sink().write(StandardCharsets.UTF_8.encode(text.substring(14)));
            end(pair);
          });
      List<String> lines = new ArrayList<>();
      for (String line = pair.source().readLine(); line != null; line = pair.source().readLine()) {
        lines.add(line);
      }
      assertThat(lines).containsExactly("one", "", "two\r", longLine, "last, without an end");
    });
  }

  @Test
  @Tag("loop-296")
  @Shows(Aspect.INTEGRITY)
  void linesAndBytes_readByTurns_loseNothing() {
    cell.run(pair -> {
      Heddle.launch(
          "writer",
          () -> {
            for (int i = 0; i < 500; i++) {
              pair.sink().write(StandardCharsets.UTF_8.encode("line " + i + "\nbytes"));
            }
          });
      for (int i = 0; i < 500; i++) {
        assertThat(pair.source().readLine()).isEqualTo("line " + i);
        ByteBuffer bytes = ByteBuffer.allocate(5);
        pair.source().readFully(bytes);
        assertThat(bytes.array()).asString(StandardCharsets.UTF_8).isEqualTo("bytes");
      }
    });
  }

  @Test
  @Tag("loop-296")
  @Shows(Aspect.INTEGRITY)
  void lines_readByManyCoroutines_areEachReadOnce() {
    cell.run(pair -> {
      List<String> lines = new ArrayList<>();
      Action reader =
          () -> {
            for (String line = pair.source().readLine();
                line != null;
                line = pair.source().readLine()) {
              lines.add(line);
            }
          };
      for (int i = 0; i < 4; i++) {
        Heddle.launch("reader " + i, reader);
      }
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        sent.add("the line with the number " + i);
        pair.sink().write(StandardCharsets.UTF_8.encode(sent.getLast() + "\n"));
        if (i % 7 == 0) {
          Heddle.yieldNow();
        }
      }
      end(pair);
      while (lines.size() < sent.size()) {
        Heddle.yieldNow();
      }
      assertThat(lines).containsExactlyElementsOf(sent);
    });
  }

  @Test
  @Tag("trap-30")
  @Shows(Aspect.INTEGRITY)
  void writes_ofManyCoroutines_areNotInterleaved() {
    cell.run(pair -> {
      List<Coroutine<Void>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte id = (byte) i;
        writers.add(
            Heddle.spawn(() -> {
              byte[] record = new byte[100_000];
              Arrays.fill(record, id);
              for (int k = 0; k < 5; k++) {
                pair.sink().write(ByteBuffer.wrap(record));
              }
              return null;
            }));
      }
      ByteBuffer record = ByteBuffer.allocate(100_000);
      for (int k = 0; k < 20; k++) {
        pair.source().readFully(record.clear());
        byte[] bytes = record.array();
        byte[] whole = new byte[bytes.length];
        Arrays.fill(whole, bytes[0]);
        assertThat(bytes).isEqualTo(whole);
      }
      writers.forEach(Coroutine::await);
    });
  }

  // ---- the end ----

  @Test
  @Tag("loop-253")
  @Tag("loop-264")
  @Shows(Aspect.END)
  void end_readAgain_isThereWithoutAWait() {
    cell.run(pair -> {
      pair.sink().write(ByteBuffer.wrap(new byte[] {1, 2}));
      end(pair);
      assertThat(pair.source().read(ByteBuffer.allocate(1))).isEqualTo(1);
      assertThat(pair.source().read(ByteBuffer.allocate(9))).isEqualTo(1);
      assertThat(pair.source().read(ByteBuffer.allocate(9))).isEqualTo(-1);
      Heddle.assertNoSuspend(() -> {
        assertThat(pair.source().read(ByteBuffer.allocate(9))).isEqualTo(-1);
      });
      assertThat(pair.source().readLine()).isNull();
      assertThatThrownBy(() -> pair.source().readFully(ByteBuffer.allocate(1)))
          .isInstanceOf(EOFException.class);
    });
  }

  @Test
  @Tag("loop-264")
  @Shows(Aspect.END)
  void halfClose_leavesTheOtherDirectionOpen() {
    cell.run(pair -> {
      if (!cell.kind().isSocket()) {
        return;
      }
      Coroutine<byte[]> reader = suspended(() -> readAll(pair.source()));
      end(pair);
      assertThat(reader.await()).isEmpty();
      pair.source().write(ByteBuffer.wrap(random(8, 1_000)));
      ByteBuffer answer = ByteBuffer.allocate(1_000);
      pair.sink().readFully(answer);
      assertThat(answer.array()).isEqualTo(random(8, 1_000));
      assertThatThrownBy(() -> pair.sink().write(ByteBuffer.allocate(1)))
          .isInstanceOf(IOException.class);
    });
  }

  @Test
  @Shows(Aspect.END)
  void endOfInput_byTheReader_comesBehindWhatHasCome() {
    cell.run(pair -> {
      if (!(pair.source() instanceof StreamSocket source)) {
        return;
      }
      pair.sink().write(ByteBuffer.wrap("first and rest".getBytes(StandardCharsets.UTF_8)));
      source.readFully(ByteBuffer.allocate(6)); // so the rest has come, too
      source.shutdownInput();
      writeUnlessItBreaks(pair.sink(), "too late");
      assertThat(source.readLine()).isEqualTo("and rest");
      assertThat(source.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      source.write(ByteBuffer.wrap(random(8, 1_000))); // the other direction goes on
    });
  }

  /// Some systems refuse, others drop it.
  private static void writeUnlessItBreaks(AsyncIo sink, String text) {
    try {
      sink.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException _) {
      // safe: nobody is to read it
    }
  }

  @Test
  @Shows(Aspect.END)
  void endOfInput_underAReader_endsHim() {
    cell.run(pair -> {
      if (!(pair.source() instanceof StreamSocket source)) {
        return;
      }
      Coroutine<byte[]> reader = suspended(() -> readAll(source));
      source.shutdownInput();
      assertThat(reader.await()).isEmpty();
    });
  }

  @Test
  @Tag("loop-260")
  @Shows(Aspect.END)
  void writer_whosePeerCloses_isWokenAndFails() {
    cell.run(pair -> {
      Coroutine<Void> writer = suspended(() -> writeForEver(pair.sink()));
      pair.source().close();
      assertThatThrownBy(writer::await).hasCauseInstanceOf(IOException.class);
      assertThatThrownBy(() -> pair.sink().write(ByteBuffer.allocate(1)))
          .isInstanceOf(IOException.class);
    });
  }

  @Test
  @Shows(Aspect.END)
  void reader_whosePeerCloses_readsTheRestAndTheEnd() {
    cell.run(pair -> {
      pair.sink().write(ByteBuffer.wrap(random(9, 500)));
      pair.sink().close();
      assertThat(readAll(pair.source())).isEqualTo(random(9, 500));
    });
  }

  // ---- for libraries ----

  @Test
  @Shows(Aspect.INTEGRITY)
  void transferTo_passesAllOn() {
    cell.run(pair -> {
      byte[] sent = random(15, 2 * MANY);
      try (Pair onward = cell.kind().open()) {
        Heddle.launch(
            "writer",
            () -> {
              pair.sink().write(ByteBuffer.wrap(sent));
              end(pair);
            });
        Heddle.launch(
            "between",
            () -> {
              assertThat(pair.source().transferTo(onward.sink())).isEqualTo(sent.length);
              end(onward);
            });
        assertThat(checksum(readAll(onward.source()))).isEqualTo(checksum(sent));
      }
    });
  }

  @Test
  void views_ofTheJdksTypes_readAndWrite() {
    cell.run(pair -> {
      Heddle.launch(
          "writer",
          () -> {
            pair.sink().outputStream().write("abc".getBytes(StandardCharsets.UTF_8));
            pair.sink().channel().write(StandardCharsets.UTF_8.encode("def"));
            pair.sink().outputStream().flush();
            pair.sink().outputStream().close();
          });
      assertThat(pair.source().inputStream().read()).isEqualTo('a');
      ByteBuffer two = ByteBuffer.allocate(2);
      assertThat(pair.source().channel().read(two)).isPositive();
      byte[] rest = pair.source().inputStream().readAllBytes();
      assertThat(
              new String(two.array(), 0, two.position(), StandardCharsets.UTF_8)
                  + new String(rest, StandardCharsets.UTF_8))
          .isEqualTo("bcdef");
      assertThat(pair.sink().isOpen()).isFalse();
    });
  }
}
