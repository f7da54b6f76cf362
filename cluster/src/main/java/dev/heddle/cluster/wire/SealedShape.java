// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The values of a sealed interface: the number of the type and the value.
final class SealedShape extends Shape {
  // set once, when all types are known: they may contain this one
  private List<Shape> permitted = List.of();
  private Set<NamedShape> alternatives = Set.of();

  SealedShape(String name) {
    super(name);
  }

  /// @param permitted named ones and sealed ones
  void setPermitted(List<Shape> permitted) {
    this.permitted = permitted;
  }

  /// Called when all sealed types have what they permit.
  void finish() {
    Set<NamedShape> all = new HashSet<>();
    collect(all);
    alternatives = all;
  }

  private void collect(Set<NamedShape> all) {
    for (Shape shape : permitted) {
      switch (shape) {
        case SealedShape it -> it.collect(all);
        case NamedShape it -> all.add(it);
        default -> throw new IllegalStateException(text() + " permits " + shape.text());
      }
    }
  }

  Set<NamedShape> alternatives() {
    return alternatives;
  }

  @Override
  void write(MessageOutput out, Object value) {
    NamedShape shape = out.types().named(value);
    if (shape == null || !alternatives.contains(shape)) {
      throw new Unsendable(
          ("is a %s, which is no %s that is registered; register it by"
                  + " ClusterOptions.messages(...), here and at the node that receives it")
              .formatted(value.getClass().getName(), text()));
    }
    out.cbor().array(2);
    out.cbor().integer(shape.index());
    out.value(shape, value);
  }

  @Override
  Object read(MessageInput in) {
    in.array(2, this);
    int index = in.index(in.types().size(), this);
    NamedShape shape = in.types().shape(index);
    if (!alternatives.contains(shape)) {
      throw Undecodable.wrongShape("%s is no %s here".formatted(shape.text(), text()));
    }
    return in.present(shape);
  }
}
