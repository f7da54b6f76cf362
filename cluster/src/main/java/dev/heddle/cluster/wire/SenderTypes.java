// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The types that another node has announced, joined with those of this node. Immutable.
final class SenderTypes {
  /// How to read the values of a type as the sender writes them.
  interface Plan {}

  private final String[] names; // of the sender
  private final @Nullable NamedShape[] shapes; // by the number at the sender; null: unknown here
  private final @Nullable Plan[] plans; // by the number here; null: unknown at the sender

  /// @param signatures by the number at the sender; may be anything
  SenderTypes(MessageTypes types, List<String> signatures) {
    this.names = new String[signatures.size()];
    this.shapes = new NamedShape[signatures.size()];
    this.plans = new Plan[types.size()];
    for (int i = 0; i < names.length; i++) {
      String signature = signatures.get(i);
      names[i] = nameOf(signature);
      NamedShape shape = types.named(names[i]);
      if (shape != null && plans[shape.index()] == null) {
        shapes[i] = shape;
        plans[shape.index()] = shape.plan(partsOf(signature));
      }
    }
  }

  int size() {
    return names.length;
  }

  /// The name of a number of the sender's.
  String name(int index) {
    return names[index];
  }

  /// The type here, of a number of the sender's.
  NamedShape shape(int index) {
    NamedShape shape = shapes[index];
    if (shape == null) {
      throw new Undecodable(
          Why.UNKNOWN_TYPE, "type %s is not registered here".formatted(names[index]));
    }
    return shape;
  }

  Plan plan(NamedShape shape) {
    Plan plan = plans[shape.index()];
    if (plan == null) {
      throw new Undecodable(Why.UNKNOWN_TYPE, "the sender has no type %s".formatted(shape.text()));
    }
    return plan;
  }

  // ---- signatures ----

  /// The name that a signature begins with.
  static String nameOf(String signature) {
    for (int i = 0; i < signature.length(); i++) {
      char c = signature.charAt(i);
      if (c == '(' || c == '{') {
        return signature.substring(0, i);
      }
    }
    return signature;
  }

  /// The parts between the brackets, at the commas that are not within the arguments of a type.
  static List<String> partsOf(String signature) {
    List<String> parts = new ArrayList<>();
    int start = nameOf(signature).length() + 1;
    int depth = 0;
    for (int i = start; i < signature.length(); i++) {
      char c = signature.charAt(i);
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      boolean isLast = i == signature.length() - 1;
      if ((c == ',' && depth == 0) || (isLast && i > start)) {
        parts.add(signature.substring(start, i));
        start = i + 1;
      }
    }
    return parts;
  }
}
