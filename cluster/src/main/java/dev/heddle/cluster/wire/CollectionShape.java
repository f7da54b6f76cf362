// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Collections as arrays: of their elements; of keys and values in turn. A writer copies the
/// elements first: so it writes as many as it has announced even while another thread changes the
/// collection. A reader returns collections that cannot be changed.
abstract class CollectionShape extends Shape {
  CollectionShape(String text) {
    super(text);
  }

  /// What is written.
  abstract @Nullable Object[] elements(Object value);

  /// The shape of an element, by its position.
  abstract Shape shape(int position);

  abstract Object of(List<@Nullable Object> elements);

  @Override
  final void write(MessageOutput out, Object value) {
    @Nullable Object[] elements;
    try {
      elements = elements(value);
    } catch (RuntimeException e) { // such as ConcurrentModificationException
      throw new Unsendable("cannot be copied; has it been changed meanwhile? " + e, e);
    }
    out.cbor().array(elements.length);
    for (int i = 0; i < elements.length; i++) {
      try {
        out.value(shape(i), elements[i]);
      } catch (Unsendable e) {
        throw e.within("[%d]".formatted(i));
      }
    }
  }

  @Override
  final Object read(MessageInput in) {
    int count = in.cbor().array(text());
    // grows with what is read: arrays within arrays could announce as many each
    List<@Nullable Object> elements = new ArrayList<>(Math.min(count, 10));
    for (int i = 0; i < count; i++) {
      try {
        elements.add(in.value(shape(i)));
      } catch (Undecodable e) {
        throw e.within("[%d]".formatted(i));
      }
    }
    return of(elements);
  }

  static final class OfList extends CollectionShape {
    private final Shape element;

    OfList(Shape element) {
      super("List<%s>".formatted(element.text()));
      this.element = element;
    }

    @Override
    @Nullable Object[] elements(Object value) {
      return ((Collection<?>) value).toArray();
    }

    @Override
    Shape shape(int position) {
      return element;
    }

    @Override
    Object of(List<@Nullable Object> elements) {
      return Collections.unmodifiableList(elements);
    }

    @Override
    Object absent(MessageInput in) {
      return List.of();
    }
  }

  static final class OfSet extends CollectionShape {
    private final Shape element;

    OfSet(Shape element) {
      super("Set<%s>".formatted(element.text()));
      this.element = element;
    }

    @Override
    @Nullable Object[] elements(Object value) {
      return ((Collection<?>) value).toArray();
    }

    @Override
    Shape shape(int position) {
      return element;
    }

    @Override
    Object of(List<@Nullable Object> elements) {
      return Collections.unmodifiableSet(new LinkedHashSet<>(elements));
    }

    @Override
    Object absent(MessageInput in) {
      return Set.of();
    }
  }

  static final class OfMap extends CollectionShape {
    private final Shape key;
    private final Shape value;

    OfMap(Shape key, Shape value) {
      super("Map<%s,%s>".formatted(key.text(), value.text()));
      this.key = key;
      this.value = value;
    }

    @Override
    @Nullable Object[] elements(Object map) {
      List<@Nullable Object> elements = new ArrayList<>();
      ((Map<?, ?>) map)
          .forEach((key, value) -> {
            elements.add(key);
            elements.add(value);
          });
      return elements.toArray();
    }

    @Override
    Shape shape(int position) {
      return position % 2 == 0 ? key : value;
    }

    @Override
    Object of(List<@Nullable Object> elements) {
      if (elements.size() % 2 != 0) {
        throw Undecodable.wrongShape("a key without a value");
      }
      Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
      for (int i = 0; i < elements.size(); i += 2) {
        map.put(elements.get(i), elements.get(i + 1));
      }
      return Collections.unmodifiableMap(map);
    }

    @Override
    Object absent(MessageInput in) {
      return Map.of();
    }
  }

  static final class OfOptional extends CollectionShape {
    private final Shape element;

    OfOptional(Shape element) {
      super("Optional<%s>".formatted(element.text()));
      this.element = element;
    }

    @Override
    @Nullable Object[] elements(Object value) {
      return ((Optional<?>) value).stream().toArray();
    }

    @Override
    Shape shape(int position) {
      return element;
    }

    @Override
    Object of(List<@Nullable Object> elements) {
      if (elements.size() > 1) {
        throw Undecodable.wrongShape("%d values, where one may be".formatted(elements.size()));
      }
      return elements.isEmpty() ? Optional.empty() : Optional.ofNullable(elements.getFirst());
    }

    @Override
    Object absent(MessageInput in) {
      return Optional.empty();
    }
  }

  /// A parcel: its topic, then its messages.
  static final class OfParcel extends CollectionShape {
    private final Shape message;

    OfParcel(Shape message) {
      super("Parcel");
      this.message = message;
    }

    @Override
    @Nullable Object[] elements(Object value) {
      var parcel = (dev.heddle.process.Parcel) value;
      @Nullable Object[] messages = parcel.messages().toArray();
      @Nullable Object[] all = new Object[messages.length + 1];
      System.arraycopy(messages, 0, all, 1, messages.length);
      all[0] = parcel.topic();
      return all;
    }

    @Override
    Shape shape(int position) {
      return position == 0 ? ValueShape.STRING : message;
    }

    @Override
    Object of(List<@Nullable Object> elements) {
      if (elements.isEmpty() || !(elements.getFirst() instanceof String topic)) {
        throw Undecodable.wrongShape("a parcel without a topic");
      }
      return dev.heddle.process.Parcel.of(topic, elements.subList(1, elements.size()).toArray());
    }
  }
}
