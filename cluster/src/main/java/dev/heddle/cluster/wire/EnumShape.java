// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The constants of an enum: their number at the sender, who announces their names.
final class EnumShape extends NamedShape {
  private final List<Enum<?>> constants;
  private final Map<String, Enum<?>> byName = new HashMap<>();

  EnumShape(String name, int index, List<Enum<?>> constants) {
    super(name, index);
    this.constants = constants;
    constants.forEach(it -> byName.put(it.name(), it));
  }

  @Override
  String signature() {
    return constants.stream().map(Enum::name).collect(Collectors.joining(",", text() + "{", "}"));
  }

  /// @param constants of the sender, in its order; null for one that does not exist here
  record Plan(List<String> names, @Nullable Enum<?>[] constants) implements SenderTypes.Plan {}

  @Override
  Plan plan(List<String> parts) {
    return new Plan(parts, parts.stream().map(byName::get).toArray(Enum<?>[]::new));
  }

  @Override
  void write(MessageOutput out, Object value) {
    if (!(value instanceof Enum<?> constant)
        || constants.get(0).getDeclaringClass() != constant.getDeclaringClass()) {
      throw new Unsendable("is a %s, not a %s".formatted(value.getClass().getName(), text()));
    }
    out.cbor().integer(constants.indexOf(constant)); // few: a search is as quick as a map
  }

  @Override
  Object read(MessageInput in) {
    Plan plan = (Plan) in.types().plan(this);
    int index = in.index(plan.constants.length, this);
    Enum<?> constant = plan.constants[index];
    if (constant == null) {
      throw new Undecodable(
          Why.UNKNOWN_CONSTANT,
          "the constant %s of %s does not exist here".formatted(plan.names.get(index), text()));
    }
    return constant;
  }
}
