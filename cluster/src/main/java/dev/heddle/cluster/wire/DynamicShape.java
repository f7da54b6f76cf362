// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.process.Parcel;
import dev.heddle.process.Pid;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A message of any type that may be sent: the number of its type, then the message. Within a
/// message, an array of the two.
final class DynamicShape extends Shape {
  /*
   * Numbers of types, never given again:
   *
   *   0        null
   *   1-       the values of ValueShape.ALL
   *   40-44    Parcel, List, Set, Map, Optional, with elements of any type
   *   64-      registered types, in the order in which the sender has announced them
   */
  static final int NULL = 0;
  static final int FIRST_COLLECTION = 40;
  static final int FIRST_NAMED = 64;

  private final List<Shape> collections;
  private final Map<Class<?>, Integer> values = new HashMap<>();

  DynamicShape() {
    super("Object");
    this.collections =
        List.of(
            new CollectionShape.OfParcel(this),
            new CollectionShape.OfList(this),
            new CollectionShape.OfSet(this),
            new CollectionShape.OfMap(this, this),
            new CollectionShape.OfOptional(this));
    for (int i = 0; i < ValueShape.ALL.size(); i++) {
      values.put(ValueShape.ALL.get(i).type(), i + 1);
    }
  }

  Shape parcel() {
    return collections.getFirst();
  }

  /// The number of the type of a message.
  ///
  /// @throws Unsendable when it has none
  int numberOf(@Nullable Object message, MessageTypes types) {
    if (message == null) {
      return NULL;
    }
    NamedShape named = types.named(message);
    if (named != null) {
      return FIRST_NAMED + named.index();
    }
    Class<?> type = message instanceof Pid ? Pid.class : message.getClass();
    Integer number = values.get(type);
    if (number != null) {
      return number;
    }
    int collection =
        switch (message) {
          case Parcel _ -> 0;
          case List<?> _ -> 1;
          case Set<?> _ -> 2;
          case Map<?, ?> _ -> 3;
          case Optional<?> _ -> 4;
          default ->
              throw new Unsendable(
                  ("is a %s, which is not registered; register its class, or the sealed interface"
                          + " of its messages, by ClusterOptions.messages(...), here and at the"
                          + " node that receives it")
                      .formatted(type.getName()));
        };
    return FIRST_COLLECTION + collection;
  }

  /// The shape of a number that is not [#NULL].
  Shape shapeOf(int number, MessageTypes types) {
    Shape unnamed = unnamed(number);
    return unnamed == null ? types.shape(number - FIRST_NAMED) : unnamed;
  }

  /// The shape of a number of the sender's that is not [#NULL].
  Shape shapeOf(int number, SenderTypes types) {
    Shape unnamed = unnamed(number);
    if (unnamed != null) {
      return unnamed;
    }
    if (number < FIRST_NAMED || number - FIRST_NAMED >= types.size()) {
      throw Undecodable.wrongShape("the number %d stands for no type".formatted(number));
    }
    return types.shape(number - FIRST_NAMED);
  }

  private @Nullable Shape unnamed(int number) {
    int collection = number - FIRST_COLLECTION;
    if (collection >= 0 && collection < collections.size()) {
      return collections.get(collection);
    }
    return number >= 1 && number <= ValueShape.ALL.size() ? ValueShape.ALL.get(number - 1) : null;
  }

  @Override
  void write(MessageOutput out, Object value) {
    int number = numberOf(value, out.types());
    out.cbor().array(2);
    out.cbor().integer(number);
    out.value(shapeOf(number, out.types()), value);
  }

  @Override
  Object read(MessageInput in) {
    in.array(2, this);
    int number = in.index(Integer.MAX_VALUE, this);
    return in.present(shapeOf(number, in.types()));
  }
}
