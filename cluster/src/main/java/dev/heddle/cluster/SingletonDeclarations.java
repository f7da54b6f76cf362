// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.name.NodeNames;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.cluster.singleton.NodeSingletons;
import dev.heddle.cluster.singleton.Singletons;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.remote.LocalProcesses;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The singletons of a node: what it runs, and what it declares.
record SingletonDeclarations(
    NodeLife self, MessageTypes types, NodeSingletons port, Singletons running) {
  private static final int INPUT_BYTES = 64 * 1024; // each node keeps it
  private static final int TYPES_CHARS = 256 * 1024; // with the rest, an entry is less than a frame

  static SingletonDeclarations open(
      ClusterOptions options,
      MessageTypes types,
      NodeLife self,
      LocalProcesses local,
      NodeNames names) {
    NodeSingletons port =
        new NodeSingletons(
            options.name(), options.labels(), options.entries(), types, local, names.service());
    Singletons running =
        new Singletons(
            options.name(),
            names.service(),
            port,
            LeaseTimes.holding(options.lease()),
            System::nanoTime);
    names.service().add(running);
    return new SingletonDeclarations(self, types, port, running);
  }

  /// As [Cluster#singleton].
  void declare(ClusterNames names, String name, String entry, @Nullable Object input, Place place)
      throws InterruptedException {
    ClusterNames.checkName(name);
    ClusterNames.checkName(entry);
    SingletonSpec mine = spec(name, entry, input, place);
    SingletonSpec kept = names.declare(mine);
    String other = difference(kept, mine, input);
    if (other != null) {
      throw new IllegalArgumentException(
          "singleton '%s' is declared with %s already, and not with %s"
              .formatted(name, other, describe(mine, input)));
    }
  }

  private SingletonSpec spec(String name, String entry, @Nullable Object input, Place place) {
    byte[] content = new MessageWriter(types, self).encode(input);
    if (content.length > INPUT_BYTES) {
      throw new NotSendableException(
          "%s of %d bytes is too large for the input of singleton '%s'; at most %d"
              .formatted(typeOf(input), content.length, name, INPUT_BYTES));
    }
    int chars = types.signatures().stream().mapToInt(String::length).sum();
    if (chars > TYPES_CHARS) {
      throw new NotSendableException(
          "the types of node '%s' have %d characters, too many for the input of singleton '%s'; at most %d"
              .formatted(self.node(), chars, name, TYPES_CHARS));
    }
    SingletonSpec.Input encoded =
        new SingletonSpec.Input(self.node(), self.host(), self.life(), types.signatures(), content);
    return switch (Objects.requireNonNull(place, "place")) {
      case Place.On(String node) -> new SingletonSpec(name, entry, node, Map.of(), encoded);
      case Place.Labelled(var labels) -> new SingletonSpec(name, entry, null, labels, encoded);
      case Place.LeastLoaded _ ->
          throw new IllegalArgumentException(
              "singleton '%s': its name chooses its node; leave leastLoaded() out".formatted(name));
    };
  }

  private static String typeOf(@Nullable Object input) {
    return input == null ? "null" : input.getClass().getName();
  }

  /// What was declared, in words; null when it is the same.
  private @Nullable String difference(
      SingletonSpec kept, SingletonSpec mine, @Nullable Object input) {
    Object its;
    try {
      its = port.input(kept);
    } catch (UndecodableMessageException e) {
      return describe(kept, e.getMessage());
    }
    boolean isSame =
        kept.entry().equals(mine.entry())
            && Objects.equals(kept.node(), mine.node())
            && kept.labels().equals(mine.labels())
            && isSameInput(new MessageWriter(types, self), its, input);
    return isSame ? null : describe(kept, its);
  }

  /// Equal values, or values with equal encodings: a record is not equal to a copy of it when it
  /// has an array, and equal sets may have their elements in another order.
  static boolean isSameInput(MessageWriter writer, @Nullable Object one, @Nullable Object other) {
    return Objects.deepEquals(one, other)
        || Arrays.equals(writer.encode(one), writer.encode(other));
  }

  private static String describe(SingletonSpec spec, @Nullable Object input) {
    Object shown = input instanceof byte[] bytes ? List.of(bytes.length, "bytes") : input;
    return "entry '%s', input %s, %s".formatted(spec.entry(), shown, spec.place());
  }
}
