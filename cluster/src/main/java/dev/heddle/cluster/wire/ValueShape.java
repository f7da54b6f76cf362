// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Pid;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The values of the JDK, and PIDs.
final class ValueShape<T> extends Shape {
  static final ValueShape<String> STRING =
      new ValueShape<>(
          String.class,
          (out, it) -> out.cbor().text(it),
          (in, shape) -> in.cbor().text(shape.text()));
  static final ValueShape<byte[]> BYTES =
      new ValueShape<>(
          byte[].class,
          (out, it) -> out.cbor().binary(it),
          (in, shape) -> in.cbor().binary(shape.text()));
  static final ValueShape<Pid> PID =
      new ValueShape<>(Pid.class, MessageOutput::pid, MessageInput::pid);

  /// All of them; the index is their number in contents, counted from 1: the list only grows, at
  /// the end.
  static final List<ValueShape<?>> ALL =
      List.of(
          STRING,
          BYTES,
          PID,
          new ValueShape<>(
              Boolean.class,
              (out, it) -> out.cbor().bool(it),
              (in, shape) -> in.cbor().bool(shape.text())),
          integer(Byte.class, Byte.MIN_VALUE, Byte.MAX_VALUE, it -> (byte) it),
          integer(Short.class, Short.MIN_VALUE, Short.MAX_VALUE, it -> (short) it),
          integer(Integer.class, Integer.MIN_VALUE, Integer.MAX_VALUE, it -> (int) it),
          integer(Long.class, Long.MIN_VALUE, Long.MAX_VALUE, it -> it),
          new ValueShape<>(
              Character.class,
              (out, it) -> out.cbor().integer(it),
              (in, shape) -> (char) readInteger(in, shape, 0, Character.MAX_VALUE)),
          new ValueShape<>(
              Float.class,
              (out, it) -> out.cbor().float32(it),
              (in, shape) -> in.cbor().float32(shape.text())),
          new ValueShape<>(
              Double.class,
              (out, it) -> out.cbor().float64(it),
              (in, shape) -> in.cbor().float64(shape.text())),
          new ValueShape<>(
              BigInteger.class,
              (out, it) -> out.cbor().binary(it.toByteArray()),
              (in, shape) -> bigInteger(in.cbor().binary(shape.text()))),
          new ValueShape<>(
              BigDecimal.class, ValueShape::writeBigDecimal, ValueShape::readBigDecimal),
          new ValueShape<>(UUID.class, ValueShape::writeUuid, ValueShape::readUuid),
          new ValueShape<>(
              Duration.class,
              (out, it) -> writePair(out, it.getSeconds(), it.getNano()),
              (in, shape) -> readPair(in, shape, Duration::ofSeconds)),
          new ValueShape<>(
              Instant.class,
              (out, it) -> writePair(out, it.getEpochSecond(), it.getNano()),
              (in, shape) -> readPair(in, shape, Instant::ofEpochSecond)),
          new ValueShape<>(
              LocalDate.class,
              (out, it) -> out.cbor().integer(it.toEpochDay()),
              (in, shape) -> LocalDate.ofEpochDay(readLong(in, shape))),
          new ValueShape<>(
              LocalTime.class,
              (out, it) -> out.cbor().integer(it.toNanoOfDay()),
              (in, shape) -> LocalTime.ofNanoOfDay(readLong(in, shape))),
          new ValueShape<>(
              LocalDateTime.class,
              (out, it) ->
                  writePair(out, it.toLocalDate().toEpochDay(), it.toLocalTime().toNanoOfDay()),
              (in, shape) ->
                  readPair(
                      in,
                      shape,
                      (day, nanos) ->
                          LocalDateTime.of(
                              LocalDate.ofEpochDay(day), LocalTime.ofNanoOfDay(nanos)))));

  private final Class<T> type;
  private final BiConsumer<MessageOutput, T> writer;
  private final BiFunction<MessageInput, Shape, T> reader;

  private ValueShape(
      Class<T> type,
      BiConsumer<MessageOutput, T> writer,
      BiFunction<MessageInput, Shape, T> reader) {
    super(type.getSimpleName());
    this.type = type;
    this.writer = writer;
    this.reader = reader;
  }

  Class<T> type() {
    return type;
  }

  @Override
  void write(MessageOutput out, Object value) {
    writer.accept(out, type.cast(value));
  }

  @Override
  Object read(MessageInput in) {
    return reader.apply(in, this);
  }

  // ---- numbers ----

  private static <T extends Number> ValueShape<T> integer(
      Class<T> type, long least, long most, LongFunction<T> narrow) {
    return new ValueShape<>(
        type,
        (out, it) -> out.cbor().integer(it.longValue()),
        (in, shape) -> narrow.apply(readInteger(in, shape, least, most)));
  }

  private static long readInteger(MessageInput in, Shape shape, long least, long most) {
    long value = readLong(in, shape);
    if (value < least || value > most) {
      throw Undecodable.wrongShape("%d is no %s".formatted(value, shape.text()));
    }
    return value;
  }

  private static long readLong(MessageInput in, Shape shape) {
    return in.cbor().integer(shape.text());
  }

  private static BigInteger bigInteger(byte[] twosComplement) {
    if (twosComplement.length == 0) {
      throw Undecodable.wrongShape("a number of no bytes");
    }
    return new BigInteger(twosComplement);
  }

  private static void writeBigDecimal(MessageOutput out, BigDecimal value) {
    out.cbor().array(2);
    out.cbor().integer(value.scale());
    out.cbor().binary(value.unscaledValue().toByteArray());
  }

  private static BigDecimal readBigDecimal(MessageInput in, Shape shape) {
    in.array(2, shape);
    int scale = Math.toIntExact(in.cbor().integer(shape.text()));
    BigInteger unscaled = bigInteger(in.cbor().binary(shape.text()));
    return new BigDecimal(unscaled, scale);
  }

  // ---- two longs ----

  private static void writePair(MessageOutput out, long first, long second) {
    out.cbor().array(2);
    out.cbor().integer(first);
    out.cbor().integer(second);
  }

  private interface OfPair<T> {
    T of(long first, long second);
  }

  private static <T> T readPair(MessageInput in, Shape shape, OfPair<T> factory) {
    in.array(2, shape);
    T value = factory.of(in.cbor().integer(shape.text()), in.cbor().integer(shape.text()));
    return value;
  }

  private static void writeUuid(MessageOutput out, UUID value) {
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
    out.cbor().binary(bytes.array());
  }

  private static UUID readUuid(MessageInput in, Shape shape) {
    byte[] bytes = in.cbor().binary(shape.text());
    if (bytes.length != 16) {
      throw Undecodable.wrongShape("a UUID of %d bytes".formatted(bytes.length));
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  /// A primitive type: its boxed type, without null, and 0 or false when it is absent.
  static final class Primitive extends Shape {
    private final Shape boxed;
    private final Object zero;

    Primitive(Class<?> type, Shape boxed, Object zero) {
      super(type.getName());
      this.boxed = boxed;
      this.zero = zero;
    }

    @Override
    void write(MessageOutput out, Object value) {
      boxed.write(out, value);
    }

    @Override
    Object read(MessageInput in) {
      return boxed.read(in);
    }

    @Override
    boolean isNullable() {
      return false;
    }

    @Override
    @Nullable Object absent(MessageInput in) {
      return zero;
    }
  }
}
