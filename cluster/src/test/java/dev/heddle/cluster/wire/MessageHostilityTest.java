// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.heddle.process.Pid;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Contents from anywhere lead to messages, or to an [UndecodableMessageException].
@Tag("wire-7")
class MessageHostilityTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  enum Colour {
    RED,
    GREEN
  }

  sealed interface Command permits All, Tree, Positive {}

  record All(
      String text,
      byte[] bytes,
      int number,
      long big,
      char c,
      double d,
      BigInteger integer,
      BigDecimal decimal,
      UUID uuid,
      Duration duration,
      Instant instant,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      Pid pid,
      Colour colour,
      Optional<Command> optional,
      List<Command> list,
      Set<String> set,
      Map<String, Integer> map)
      implements Command {}

  record Tree(List<Tree> below) implements Command {}

  record Positive(int it) implements Command {
    Positive {
      if (it <= 0) {
        throw new IllegalArgumentException("not positive: " + it);
      }
    }
  }

  private static final All MESSAGE =
      new All(
          "text",
          new byte[] {1, 2},
          300,
          1L << 40,
          'x',
          2.5,
          BigInteger.TEN,
          BigDecimal.ONE,
          new UUID(1, 2),
          Duration.ofSeconds(1),
          Instant.EPOCH,
          LocalDate.EPOCH,
          LocalTime.NOON,
          LocalDateTime.of(2026, 11, 27, 14, 0),
          new Pid("b", "x", 5, 6),
          Colour.GREEN,
          Optional.of(new Positive(4)),
          List.of(new Tree(List.of(new Tree(List.of()))), new Positive(1)),
          Set.of("s"),
          Map.of("k", 7));

  private final MessageKit kit = MessageKit.of(Command.class);
  private int read;
  private int refused;

  private void receive(byte[] content) {
    try {
      var _ = kit.reader().decode(content);
      read++;
    } catch (UndecodableMessageException e) {
      assertThat(e.getMessage()).isNotBlank();
      refused++;
    }
  }

  private long allocated(byte[] content) {
    receive(content); // loads the classes that this takes
    long before = THREADS.getCurrentThreadAllocatedBytes();
    receive(content);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  /// The number of a type, then octets.
  private static byte[] content(int number, int... octets) {
    byte[] bytes = new byte[octets.length + 1];
    bytes[0] = (byte) number;
    for (int i = 0; i < octets.length; i++) {
      bytes[i + 1] = (byte) octets[i];
    }
    return bytes;
  }

  private static byte[] repeated(int number, int octet, int count) {
    byte[] bytes = new byte[count + 1];
    Arrays.fill(bytes, (byte) octet);
    bytes[0] = (byte) number;
    return bytes;
  }

  // ---- bytes that are nearly right ----

  @Test
  void randomBytes_ofEachType_areReadOrRefused() {
    Random random = new Random(1);
    for (int number = 0; number < 80; number++) {
      for (int i = 0; i < 3000; i++) {
        byte[] content = new byte[1 + random.nextInt(40)];
        random.nextBytes(content);
        content[0] = (byte) number;
        receive(content);
      }
    }
    assertThat(read).isPositive();
    assertThat(refused).isPositive();
  }

  @Test
  void message_cutAnywhere_isRefused() {
    byte[] content = kit.encode(MESSAGE);
    for (int length = 0; length < content.length; length++) {
      receive(Arrays.copyOf(content, length));
    }
    assertThat(read).isZero();
  }

  @Test
  void message_withOneWrongByte_isReadOrRefused() {
    byte[] content = kit.encode(MESSAGE);
    for (int at = 0; at < content.length; at++) {
      for (int change = 1; change < 256; change++) {
        byte[] wrong = content.clone();
        wrong[at] ^= (byte) change;
        receive(wrong);
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void message_withMoreAtItsEnd_isRefused() {
    byte[] content = kit.encode(MESSAGE);
    receive(Arrays.copyOf(content, content.length + 1));
    receive(content(0, 0)); // null, and more
    assertThat(refused).isEqualTo(2);
  }

  @Test
  void constructor_thatThrows_refusesTheMessage() {
    byte[] content = kit.encode(new Positive(1));
    content[content.length - 1] = 0;
    assertThatThrownBy(() -> kit.reader().decode(content))
        .isInstanceOf(UndecodableMessageException.class)
        .hasMessageContaining("constructor of MessageHostilityTest.Positive")
        .hasMessageContaining("not positive: 0");
  }

  // ---- sizes ----

  @Test
  void hugeLengths_areRefused_beforeMuchIsAllocated() {
    for (int major = 0; major < 8; major++) { // the kinds of CBOR, with a length of a GiB and more
      for (int type = 1; type < 70; type++) {
        long[] all = {
          allocated(content(type, major << 5 | 26, 0x40, 0, 0, 0, 1, 2)),
          allocated(content(type, major << 5 | 27, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
          allocated(content(type, 0x82, major << 5 | 26, 0x7f, 0xff, 0xff, 0xff, 1, 2)),
        };
        assertThat(Arrays.stream(all).max().orElseThrow()).isLessThan(16 * 1024);
      }
    }
  }

  @Test
  void deepNesting_isRefused() {
    for (int type = 1; type < 70; type++) {
      for (int array : new int[] {0x81, 0x82, 0x9f, 0xbf, 0xa1, 0xc1, 0xd8}) {
        receive(repeated(type, array, Limits.MESSAGE_BYTES - 1));
      }
    }
    assertThat(read).isEqualTo(7); // those of a byte[], which may be any
  }

  @Test
  void emptyElements_inGreatNumber_takeAMultipleOfTheirBytes() {
    int count = 1_000_000;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(DynamicShape.FIRST_COLLECTION + 1); // List
    out.writeBytes(
        new byte[] {(byte) 0x9a, 0, (byte) (count >> 16), (byte) (count >> 8), (byte) count});
    out.writeBytes(repeated(0xf6, 0xf6, count - 1)); // null
    assertThat(allocated(out.toByteArray())).isLessThan(32L * count);
    assertThat(read).isEqualTo(2);
  }

  @Test
  void hugeMaps_areRead() throws Exception {
    Map<Integer, Integer> map = new java.util.HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      map.put(i, -i);
    }
    assertThat(kit.sent(map)).isEqualTo(map);
  }

  @Test
  void hugeTables_ofASender_areHarmless() throws Exception {
    List<String> signatures = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      signatures.add("Unknown" + i);
    }
    signatures.addAll(
        Arrays.asList(
            "",
            "(",
            "()",
            "{",
            "MessageHostilityTest.Tree",
            "MessageHostilityTest.Tree(",
            "MessageHostilityTest.Tree)",
            "MessageHostilityTest.All(,,,:::<<<",
            "MessageHostilityTest.Colour(RED)",
            "MessageHostilityTest.Positive{it:int}",
            "MessageHostilityTest.Positive(it:int,it:int)"));
    MessageReader reader =
        new MessageReader(MessageKit.types(Command.class), FrameCodecTest.A, signatures);
    int first = DynamicShape.FIRST_NAMED;
    for (int number = first; number < first + signatures.size() + 100; number++) {
      WireOutput out = new WireOutput();
      out.varint(number);
      out.octet(0x81);
      out.octet(1);
      try {
        // safe: a signature may have parts that fit by chance
        assertThat(reader.decode(out.body())).isEqualTo(new Positive(1));
      } catch (UndecodableMessageException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(100_000);
  }

  // ---- classes ----

  static volatile boolean loaded;

  static final class Trap {
    static {
      loaded = true;
    }

    private Trap() {}
  }

  record TrapRecord(int it) {
    static {
      loaded = true;
    }
  }

  /// Names of classes that exist, in each place where the wire has a name.
  @Test
  void nameOfAClass_doesNotLoadIt() throws Exception {
    List<String> signatures =
        List.of(
            Trap.class.getName(),
            TrapRecord.class.getName() + "(it:int)",
            "MessageHostilityTest.TrapRecord(it:int)",
            "MessageHostilityTest.Tree(below:" + TrapRecord.class.getName() + ")",
            "MessageHostilityTest.Colour{" + Trap.class.getName() + "}");
    MessageReader reader =
        new MessageReader(MessageKit.types(Command.class), FrameCodecTest.A, signatures);
    for (int i = 0; i < signatures.size(); i++) {
      byte[] content = content(DynamicShape.FIRST_NAMED + i, 0x81, 0);
      assertThatThrownBy(() -> reader.decode(content))
          .isInstanceOf(UndecodableMessageException.class);
    }
    Frame.FailureText failure =
        new Frame.FailureText(TrapRecord.class.getName(), "message", "trace");
    assertThat(Failures.of("b", failure).type()).isEqualTo(TrapRecord.class.getName());
    assertThat(loaded).isFalse();
    assertThat(new TrapRecord(1).it()).isOne();
    assertThat(loaded).isTrue(); // the trap works
  }
}
