// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import dev.heddle.process.Request;
import java.io.File;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a message looked like at one moment, to find what has changed in it since.
///
/// It sees the components of records, the elements of arrays, collections and maps, the content of
/// optionals and of builders of text, all of it to any depth up to 100, and the message of a
/// request. What is immutable is a value: text, numbers, enums, times, PIDs, references and so on.
/// Objects of other classes are not looked into: their classes are [#unchecked()], and only another
/// object in the same place is a change.
///
/// **Cost** a walk over the message, and a list as long as it has parts.
public final class MessageImage {
  private static final int DEPTH = 100;

  // the classes of values, apart from those that isValue() tells by other means
  private static final Set<Class<?>> VALUES =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          URI.class,
          Locale.class,
          Pattern.class,
          File.class,
          Class.class,
          Object.class);

  private final @Nullable Object message;
  private final List<@Nullable Object> parts;
  private final Set<String> unchecked = new TreeSet<>();

  private MessageImage(@Nullable Object message) {
    this.message = message;
    Walk walk = new Walk(unchecked);
    walk.visit(message);
    this.parts = walk.parts;
  }

  /// The image of a message at this moment.
  public static MessageImage of(@Nullable Object message) {
    return new MessageImage(message);
  }

  /// The names of the classes that it has not looked into.
  public Set<String> unchecked() {
    return unchecked;
  }

  /// The first change of the message since, as `path: before -> now`; null when there is none.
  public @Nullable String change() {
    Walk walk = new Walk(new TreeSet<>());
    walk.before = parts;
    walk.visit(message);
    return walk.change;
  }

  /// Stands for an object that the walk has met before, by its place in the order of the walk.
  private record Again(int place) {}

  /// Stands for the beginning of something that has parts.
  private record Begin(Class<?> type, int size) {
    @Override
    public String toString() {
      return size + " elements";
    }
  }

  /// An object that is compared by identity.
  private record Opaque(Object object) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Opaque o && o.object == object;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(object);
    }

    @Override
    public String toString() {
      return object.getClass().getName() + "@" + Integer.toHexString(hashCode());
    }
  }

  /// One walk over a message, in an order that depends on the message only.
  private static final class Walk {
    final List<@Nullable Object> parts = new ArrayList<>();
    private final Set<String> unchecked;
    private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
    private final ArrayDeque<Object> path = new ArrayDeque<>();
    @Nullable List<@Nullable Object> before; // the parts of an earlier walk, to compare with
    @Nullable String change;

    Walk(Set<String> unchecked) {
      this.unchecked = unchecked;
    }

    void visit(@Nullable Object part) {
      if (change != null) {
        return;
      }
      if (part == null || isValue(part)) {
        add(part);
        return;
      }
      Integer place = seen.putIfAbsent(part, seen.size());
      if (place != null) {
        add(new Again(place));
      } else if (path.size() >= DEPTH) {
        opaque(part, part.getClass().getName() + " below a depth of " + DEPTH);
      } else {
        visitParts(part);
      }
    }

    private void visitParts(Object whole) {
      switch (whole) {
        case Request request -> visit("message", request.message());
        case Record record -> record(record);
        case Collection<?> all -> elements(all);
        case Map<?, ?> map -> entries(map);
        case Optional<?> optional -> visit("value", optional.orElse(null));
        case StringBuilder text -> add(text.toString());
        case StringBuffer text -> add(text.toString());
        default -> {
          if (whole.getClass().isArray()) {
            array(whole);
          } else {
            opaque(whole, whole.getClass().getName());
          }
        }
      }
    }

    private void opaque(Object object, String name) {
      unchecked.add(name);
      add(new Opaque(object));
    }

    private void record(Record record) {
      add(record.getClass());
      for (RecordComponent component : record.getClass().getRecordComponents()) {
        Object value;
        try {
          var accessor = component.getAccessor();
          if (!accessor.trySetAccessible()) {
            opaque(record, record.getClass().getName() + ", which its module does not open");
            return;
          }
          value = accessor.invoke(record);
        } catch (IllegalAccessException | InvocationTargetException e) {
          opaque(record, record.getClass().getName() + ", whose accessor has failed: " + e);
          return;
        }
        visit(component.getName(), value);
      }
    }

    private void elements(Collection<?> all) {
      add(new Begin(all.getClass(), all.size()));
      int index = 0;
      for (Iterator<?> each = all.iterator(); change == null && each.hasNext(); index++) {
        visit(index, each.next());
      }
    }

    private void entries(Map<?, ?> map) {
      add(new Begin(map.getClass(), map.size()));
      int index = 0;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        visit("key " + index, entry.getKey());
        visit("value of " + entry.getKey(), entry.getValue());
        index++;
      }
    }

    private void array(Object array) {
      int length = Array.getLength(array);
      add(new Begin(array.getClass(), length));
      for (int i = 0; change == null && i < length; i++) {
        visit(i, Array.get(array, i));
      }
    }

    private void visit(Object place, @Nullable Object part) {
      path.addLast(place);
      visit(part);
      path.removeLast();
    }

    private void add(@Nullable Object part) {
      List<@Nullable Object> known = before;
      if (known != null && change == null) {
        Object was = parts.size() < known.size() ? known.get(parts.size()) : null;
        if (!Objects.equals(was, part)) {
          change = where() + ": " + was + " -> " + part;
        }
      }
      parts.add(part);
    }

    private String where() {
      StringBuilder text = new StringBuilder("message");
      for (Object place : path) {
        if (place instanceof Integer) {
          text.append('[').append(place).append(']');
        } else {
          text.append('.').append(place);
        }
      }
      return text.toString();
    }
  }

  private static boolean isValue(Object part) {
    return VALUES.contains(part.getClass())
        || part instanceof Enum<?>
        || part instanceof Path
        || part.getClass().isAnnotationPresent(MessageValue.class)
        || part.getClass().getPackageName().equals("java.time");
  }
}
