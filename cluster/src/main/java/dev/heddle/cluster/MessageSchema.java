// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.SchemaChanges;
import java.util.Arrays;
import java.util.List;

/// The contract of a node's messages with other nodes as text: commit it, and let a test compare
/// it, so that no release breaks the nodes of the one before by accident.
///
/// {@snippet class=dev.heddle.cluster.WireSnippetsTest region=schema}
///
/// @since 0.1
public final class MessageSchema {
  private final MessageTypes types;

  private MessageSchema(MessageTypes types) {
    this.types = types;
  }

  /// The contract of classes, and of the types of their components.
  ///
  /// @param types as in the options of the cluster: records, enums, sealed interfaces
  /// @throws IllegalArgumentException when one cannot be sent; the message has the path to it
  public static MessageSchema of(Class<?>... types) {
    return of(Arrays.asList(types), List.of());
  }

  /// The contract of classes and codecs.
  ///
  /// @throws IllegalArgumentException when one cannot be sent; the message has the path to it
  public static MessageSchema of(List<Class<?>> types, List<MessageCodec<?>> codecs) {
    return new MessageSchema(MessageTypes.of(types, codecs));
  }

  /// The text: a type a line, sorted.
  public String text() {
    return types.schema();
  }

  /// What nodes of an earlier release would no longer understand, or be understood by: types,
  /// components and constants that were renamed or have another type. Types, components and
  /// constants may be added; components may be removed and reordered.
  ///
  /// @param earlier a text that [#text] has returned
  /// @return a line for each; empty when the two releases may run together
  /// @throws IllegalArgumentException when it is no such text
  public List<String> breaks(String earlier) {
    return SchemaChanges.breaks(earlier, text());
  }
}
