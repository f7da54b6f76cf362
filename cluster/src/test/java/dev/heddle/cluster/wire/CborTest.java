// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.dataformat.cbor.CBORMapper;

/// Our CBOR against Jackson's.
@Tag("wire-3")
class CborTest {
  private static final CBORMapper JACKSON = CBORMapper.builder().build();

  private static Object random(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 7 : 6)) {
      case 0 -> random.nextLong() >> random.nextInt(64);
      case 1 -> "ä€😀x".repeat(random.nextInt(100));
      case 2 -> random.nextBoolean();
      case 3 -> random.nextDouble();
      case 4 -> (long) random.nextInt(70000);
      case 5 -> "x".repeat(random.nextInt(300));
      default -> {
        List<Object> list = new ArrayList<>();
        for (int left = random.nextInt(30); left > 0; left--) {
          list.add(random(random, depth - 1));
        }
        yield list;
      }
    };
  }

  private static void write(CborOutput out, Object value) {
    switch (value) {
      case Long it -> out.integer(it);
      case String it -> out.text(it);
      case Boolean it -> out.bool(it);
      case Double it -> out.float64(it);
      case List<?> it -> {
        out.array(it.size());
        it.forEach(element -> write(out, element));
      }
      default -> throw new IllegalArgumentException(value.toString());
    }
  }

  private static Object read(CborInput in, Object like) {
    return switch (like) {
      case Long _ -> in.integer("it");
      case String _ -> in.text("it");
      case Boolean _ -> in.bool("it");
      case Double _ -> in.float64("it");
      case List<?> it -> {
        assertThat(in.array("it")).isEqualTo(it.size());
        yield it.stream().map(element -> read(in, element)).toList();
      }
      default -> throw new IllegalArgumentException(like.toString());
    };
  }

  private static CborInput input(byte[] bytes) {
    return new CborInput(bytes, 0, bytes.length);
  }

  @Test
  void values_ofAllKinds_areThoseThatJacksonReads() {
    Random random = new Random(1);
    for (int i = 0; i < 3000; i++) {
      Object value = random(random, 3);
      CborOutput out = new CborOutput();
      write(out, value);
      assertThat(read(input(out.toBytes()), value)).isEqualTo(value);
      assertThat(longs(JACKSON.readValue(out.toBytes(), Object.class))).isEqualTo(value);
    }
  }

  /// Jackson returns small integers as `Integer`.
  private static Object longs(Object value) {
    return switch (value) {
      case Integer it -> it.longValue();
      case List<?> it -> it.stream().map(CborTest::longs).toList();
      default -> value;
    };
  }

  @Test
  void bytesFloatAndNull_areThoseThatJacksonReads() {
    CborOutput out = new CborOutput();
    out.array(3);
    out.binary(new byte[] {1, 2});
    out.float32(1.5f);
    out.nothing();
    List<?> read = JACKSON.readValue(out.toBytes(), List.class);
    assertThat((byte[]) read.get(0)).containsExactly(1, 2);
    assertThat(((Number) read.get(1)).floatValue()).isEqualTo(1.5f);
    assertThat(read.get(2)).isNull();
  }

  @Test
  void values_ofAllKinds_areSkipped() {
    Random random = new Random(2);
    for (int i = 0; i < 3000; i++) {
      CborOutput out = new CborOutput();
      write(out, random(random, 3));
      out.binary(new byte[] {1, 2, 3});
      out.float32(1.5f);
      out.nothing();
      out.integer(42);
      CborInput in = input(out.toBytes());
      for (int k = 0; k < 4; k++) {
        in.skip();
      }
      assertThat(in.integer("it")).isEqualTo(42);
      assertThat(in.isAtEnd()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        23,
        24,
        255,
        256,
        65535,
        65536,
        4294967295L,
        4294967296L,
        Long.MAX_VALUE,
        -1,
        -24,
        -25,
        -256,
        -257,
        -65536,
        -65537,
        -4294967296L,
        -4294967297L,
        Long.MIN_VALUE
      })
  void integer_atTheEdges(long value) {
    CborOutput out = new CborOutput();
    out.integer(value);
    assertThat(input(out.toBytes()).integer("it")).isEqualTo(value);
    assertThat(JACKSON.readValue(out.toBytes(), Number.class).longValue()).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "9f, of unknown length",
    "5f, of unknown length",
    "7f, of unknown length",
    "a0, map",
    "c1, tag",
    "f9, half float",
    "f7, undefined",
    "e0, simple value",
    "1c, reserved",
    "fc, reserved",
    "ff, break"
  })
  void items_thatNobodyWrites_areRefused(String head, String what) {
    byte[] bytes = {(byte) Integer.parseInt(head, 16), 0, 0, 0};
    for (Runnable read :
        List.<Runnable>of(
            () -> input(bytes).integer("it"),
            () -> input(bytes).text("it"),
            () -> input(bytes).binary("it"),
            () -> input(bytes).array("it"),
            () -> input(bytes).bool("it"),
            () -> input(bytes).float32("it"),
            () -> input(bytes).float64("it"),
            () -> input(bytes).skip())) {
      assertThatThrownBy(read::run)
          .as(what)
          .isInstanceOf(Undecodable.class)
          .hasMessageContaining("at byte 0");
    }
  }

  @Test
  void integer_ofMoreThan64Bits_isRefused() {
    byte[] bytes = new byte[9];
    Arrays.fill(bytes, (byte) 0xff);
    for (int head : new int[] {0x1b, 0x3b}) {
      bytes[0] = (byte) head;
      assertThatThrownBy(() -> input(bytes).integer("it"))
          .isInstanceOf(Undecodable.class)
          .hasMessageContaining("more than 64 bits");
    }
  }

  @Test
  void text_thatIsNotUtf8_isRefused_andOneWithAReplacementCharacterIsNot() {
    byte[] wrong = {0x62, (byte) 0xc3, 'x'};
    assertThatThrownBy(() -> input(wrong).text("it")).hasMessageContaining("UTF-8");
    CborOutput out = new CborOutput();
    out.text("\uFFFD");
    assertThat(input(out.toBytes()).text("it")).isEqualTo("\uFFFD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "a\udc00b", "ä\ud800", "\ud83d\ud83d\ude00", "?\ud800"})
  void text_withHalfASurrogatePair_isRefused(String text) {
    assertThatThrownBy(() -> new CborOutput().text(text)).isInstanceOf(Unsendable.class);
  }

  @Test
  void skip_ofManyEmptyArrays_isLinear() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < 500_000; i++) {
      all.write(0x81);
    }
    all.write(0x80);
    CborInput in = input(all.toByteArray());
    in.skip();
    assertThat(in.isAtEnd()).isTrue();
  }
}
