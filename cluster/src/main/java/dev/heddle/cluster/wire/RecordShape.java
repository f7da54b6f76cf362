// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The values of a record class: an array of its components, in the order of the sender's record.
final class RecordShape extends NamedShape {
  /// @param accessor takes the record, returns the component, both as `Object`
  record Component(String name, Shape shape, MethodHandle accessor) {}

  private final MethodHandle constructor; // of an Object[], returns an Object

  // set once, when the types it consists of are known: they may contain this one
  private Component[] components = {};
  private int written;

  /// @param constructor takes the components as an `Object[]` and returns the record as `Object`
  RecordShape(String name, int index, MethodHandle constructor) {
    super(name, index);
    this.constructor = constructor;
  }

  void setComponents(List<Component> components) {
    this.components = components.toArray(new Component[0]);
    this.written = (int) components.stream().filter(it -> it.shape.isWritten()).count();
  }

  /// Whether it is a typed request.
  boolean hasReply() {
    return written < components.length;
  }

  @Override
  String signature() {
    return Stream.of(components)
        .map(it -> it.name + ":" + it.shape.text())
        .collect(Collectors.joining(",", text() + "(", ")"));
  }

  @Override
  void write(MessageOutput out, Object value) {
    out.cbor().array(written);
    for (Component component : components) {
      try {
        Object part = (Object) component.accessor.invokeExact(value);
        if (component.shape.isWritten()) {
          out.value(component.shape, part);
        } else {
          component.shape.write(out, new ReplyShape.Checked(part));
        }
      } catch (Unsendable e) {
        throw e.within("." + component.name);
      } catch (VirtualMachineError e) {
        throw e;
      } catch (Throwable t) {
        throw new Unsendable("cannot be encoded: " + t, t).within("." + component.name);
      }
    }
  }

  // ---- reading ----

  /// How to read the records of a sender whose class may have other components.
  ///
  /// @param sources for each component that the sender writes, in its order, the index here; -1 to
  ///   skip
  /// @param missing the components here that the sender does not write
  /// @param changed what is not of the same type at both; null when nothing is
  record Plan(int[] sources, int[] missing, @Nullable String changed) implements SenderTypes.Plan {}

  @Override
  Plan plan(List<String> parts) {
    List<Integer> sources = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    for (String part : parts) {
      int colon = part.indexOf(':');
      String name = colon < 0 ? part : part.substring(0, colon);
      String type = part.substring(colon + 1);
      int here = find(name);
      if (here >= 0 && !components[here].shape.text().equals(type)) {
        changed.add(
            "%s is %s here and %s at the sender"
                .formatted(name, components[here].shape.text(), type));
      } else if (here >= 0 && sources.contains(here)) {
        changed.add("the sender has %s twice".formatted(name));
      } else if (!ReplyShape.isReply(type)) {
        sources.add(here);
      }
    }
    int[] missing =
        IntStream.range(0, components.length).filter(it -> !sources.contains(it)).toArray();
    return new Plan(
        sources.stream().mapToInt(Integer::intValue).toArray(),
        missing,
        changed.isEmpty() ? null : String.join(", ", changed));
  }

  private int find(String name) {
    return IntStream.range(0, components.length)
        .filter(it -> components[it].name.equals(name))
        .findFirst()
        .orElse(-1);
  }

  @Override
  Object read(MessageInput in) {
    Plan plan = (Plan) in.types().plan(this);
    if (plan.changed != null) {
      throw Undecodable.wrongShape(plan.changed + "; a component of another type is a new type");
    }
    in.array(plan.sources.length, this);
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int source : plan.sources) {
      if (source < 0) {
        in.cbor().skip();
      } else {
        values[source] = read(in, components[source]);
      }
    }
    for (int missing : plan.missing) {
      values[missing] = components[missing].shape.absent(in);
    }
    return construct(values);
  }

  private static @Nullable Object read(MessageInput in, Component component) {
    try {
      return in.value(component.shape);
    } catch (Undecodable e) {
      throw e.within("." + component.name);
    }
  }

  private Object construct(@Nullable Object[] values) {
    try {
      return (Object) constructor.invokeExact(values);
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable t) {
      throw Undecodable.wrongShape("the constructor of %s has thrown %s".formatted(text(), t));
    }
  }
}
