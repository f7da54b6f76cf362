// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Parcel;
import dev.heddle.process.Pid;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Random values of the types that frames and messages consist of.
final class RandomValues {
  private static final String[] TEXTS = {
    "", "a", "größer", "\u0000", "日本語", "😀 smile", "x,y:(z)<>{}"
  };

  private final Random random;

  RandomValues(long seed) {
    this.random = new Random(seed);
  }

  Random random() {
    return random;
  }

  <T> T of(Class<T> type) {
    return type.cast(value(type, 4));
  }

  /// The value with arrays as lists, and records as lists of their components: to compare.
  static @Nullable Object image(@Nullable Object value) {
    return switch (value) {
      case byte[] it -> Arrays.toString(it);
      case Content it -> Arrays.toString(it.toBytes());
      case Parcel it -> List.of(it.topic(), images(it.messages()));
      case List<?> it -> images(it);
      case Set<?> it -> new LinkedHashSet<>(images(it));
      case Optional<?> it -> it.map(RandomValues::image);
      case Map<?, ?> it -> {
        Map<@Nullable Object, @Nullable Object> images = new LinkedHashMap<>();
        it.forEach((key, of) -> images.put(image(key), image(of)));
        yield images;
      }
      case Record it -> {
        List<@Nullable Object> parts = new ArrayList<>();
        parts.add(it.getClass());
        for (RecordComponent component : it.getClass().getRecordComponents()) {
          component.getAccessor().setAccessible(true);
          try {
            parts.add(image(component.getAccessor().invoke(it)));
          } catch (ReflectiveOperationException e) {
            throw new LinkageError(component.toString(), e);
          }
        }
        yield parts;
      }
      case null, default -> value;
    };
  }

  private static List<@Nullable Object> images(java.util.Collection<?> values) {
    List<@Nullable Object> images = new ArrayList<>();
    values.forEach(it -> images.add(image(it)));
    return images;
  }

  private @Nullable Object value(Type type, int depth) {
    return switch (type) {
      case ParameterizedType it -> collection(it, depth);
      case Class<?> it when it.isRecord() && it != Parcel.class -> record(it, depth);
      case Class<?> it when it.isEnum() -> pick(it.getEnumConstants());
      case Class<?> it when it.isSealed() && it.isInterface() ->
          value(pick(it.getPermittedSubclasses()), depth);
      case Class<?> it -> leaf(it);
      default -> throw new IllegalArgumentException("no values of " + type);
    };
  }

  private Object record(Class<?> type, int depth) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      boolean isNull = isNullable(components[i]) && random.nextInt(3) == 0;
      values[i] = isNull ? null : value(components[i].getGenericType(), depth - 1);
    }
    try {
      var constructor =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " of " + Arrays.toString(values), e);
    }
  }

  private static boolean isNullable(RecordComponent component) {
    AnnotatedElement type = component.getAnnotatedType();
    return type.isAnnotationPresent(Nullable.class)
        || (type instanceof AnnotatedArrayType array && array.isAnnotationPresent(Nullable.class));
  }

  private Object collection(ParameterizedType type, int depth) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type first = type.getActualTypeArguments()[0];
    int count = depth <= 0 ? 0 : random.nextInt(4);
    List<@Nullable Object> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(value(first, depth - 1));
    }
    if (raw == Map.class) {
      Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
      elements.forEach(it -> map.put(it, value(type.getActualTypeArguments()[1], depth - 1)));
      return map;
    }
    if (raw == Set.class) {
      return new LinkedHashSet<>(elements);
    }
    return raw == Optional.class ? elements.stream().findFirst() : elements;
  }

  private Object leaf(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "String" -> text();
      case "byte[]" -> bytes();
      case "Content" -> Content.of(bytes());
      case "Pid" -> pid();
      case "Parcel" -> Parcel.of(text(), random.nextInt(), null, text(), pid(), List.of(1L, 'x'));
      case "boolean", "Boolean" -> random.nextBoolean();
      case "byte", "Byte" -> (byte) random.nextInt();
      case "short", "Short" -> (short) random.nextInt();
      case "int", "Integer" -> random.nextInt() >> random.nextInt(32);
      case "long", "Long" -> number();
      case "char", "Character" -> (char) random.nextInt();
      case "float", "Float" -> random.nextBoolean() ? random.nextFloat() : Float.NaN;
      case "double", "Double" -> random.nextBoolean() ? random.nextGaussian() : -0.0;
      case "BigInteger" -> new BigInteger(random.nextInt(300), random).negate();
      case "BigDecimal" -> new BigDecimal(new BigInteger(90, random), random.nextInt(40) - 20);
      case "UUID" -> new UUID(random.nextLong(), random.nextLong());
      case "Duration" -> Duration.ofSeconds(random.nextLong() >> 3, random.nextInt(1_000_000_000));
      case "Instant" -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
      case "LocalDate" -> LocalDate.ofEpochDay(random.nextInt(10_000_000));
      case "LocalTime" -> LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
      case "LocalDateTime" ->
          LocalDateTime.ofEpochSecond(random.nextInt(), 5, java.time.ZoneOffset.UTC);
      default -> throw new IllegalArgumentException("no values of " + type);
    };
  }

  private long number() {
    return random.nextLong() >> random.nextInt(64);
  }

  private String text() {
    return random.nextInt(4) == 0 ? "n".repeat(random.nextInt(700)) : pick(TEXTS);
  }

  byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  private Pid pid() {
    String node = pick(new String[] {"a", "b", "c"});
    String host = random.nextBoolean() ? "heddle" : "other";
    return new Pid(node, host, number(), random.nextBoolean() ? 7 : random.nextInt() >>> 1);
  }

  private <T> T pick(T[] from) {
    return from[random.nextInt(from.length)];
  }
}
