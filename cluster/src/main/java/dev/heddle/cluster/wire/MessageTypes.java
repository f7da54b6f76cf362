// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.MessageCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The types of messages that a node sends and receives. Immutable; any thread.
///
/// [MessageWriter] encodes with them, [MessageReader] decodes.
public final class MessageTypes {
  /*
   * Content of a message:
   *
   *   number   of its type, a varint: see DynamicShape
   *   value    CBOR; of a byte[], the bytes themselves; of null, nothing
   *
   * A record is an array of its components, in the order of the sender's class; an enum constant is
   * its ordinal at the sender; a value of a sealed interface is an array of type and value. What
   * the orders mean the sender has announced, by one signature a type (Frame.Types):
   *
   *   Cart.Add(item:String,count:int,tags:Map<String,Colour>)     Colour{RED,GREEN}
   *
   * So a receiver joins the sender's types with its own once a session, and then reads without
   * looking at names:
   *
   *   component at both, same type      read
   *   component at the sender only      skipped
   *   component here only               null, 0, false, empty
   *   component of another type         the type is refused: a changed type needs a new name
   *   constant, type at the sender only refused where it occurs
   *
   * What is refused is one message, at its receiver; the session goes on.
   *
   * I1. No name from the wire reaches a class loader: names are keys of the map of types that the
   *     program has registered before. [MessageHostilityTest]
   * I2. No bytes lead to any exception but UndecodableMessageException. [MessageHostilityTest]
   * I3. A reader allocates no more than a multiple of the bytes it has read: lists grow with their
   *     elements, never by an announced size. Depth is limited. [MessageHostilityTest]
   * I4. A message that another thread changes while it is written is written as some mixture, or
   *     refused; it does not damage any other. [MessageConcurrencyTest]
   *
   * Cost of a round trip of a record of four components, and of a nested one (the shapes of the
   * table in the design), with two shared cores: 165 ns and 29 bytes, 900 ns and 113 bytes.
   *
   * Rejected. Jackson's data binding (1,400 and 8,200 ns, 48 and 226 bytes): its annotations choose
   * classes, creators and converters, so that what the wire may do would depend on the messages'
   * classes and on modules found on the class path; and it writes all names into each message.
   * Jackson's streams (370 and 1,370 ns): see CborInput. Ordinals without names: one inserted
   * constant would change the meaning of all after it.
   */
  static final int MAX_DEPTH = 100; // arrays within arrays; each is some frames of the stack

  private final DynamicShape dynamic = new DynamicShape();
  private final List<NamedShape> named;
  private final List<SealedShape> sealedOnes;
  private final Map<Class<?>, NamedShape> byClass;
  private final Map<String, NamedShape> byName;

  private MessageTypes(Collection<Class<?>> types, Collection<? extends MessageCodec<?>> codecs) {
    TypeWalk walk = new TypeWalk(dynamic);
    codecs.forEach(walk::addCodec);
    types.forEach(walk::add);
    walk.finish();
    this.named = List.copyOf(walk.named());
    this.sealedOnes = List.copyOf(walk.sealedOnes());
    this.byClass = walk.byClass();
    this.byName = named.stream().collect(Collectors.toMap(Shape::text, it -> it));
  }

  /// Registers classes, and the types of their components.
  ///
  /// @param types records, enums, sealed interfaces
  /// @throws IllegalArgumentException when one cannot be sent; the message has the path to it
  public static MessageTypes of(
      Collection<Class<?>> types, Collection<? extends MessageCodec<?>> codecs) {
    return new MessageTypes(types, codecs);
  }

  /// What [Frame.Types] announces: the signature of each type, by its number.
  public List<String> signatures() {
    return named.stream().map(NamedShape::signature).toList();
  }

  /// The contract with other nodes as text, a type a line, sorted.
  public String schema() {
    List<String> lines = new ArrayList<>(signatures());
    for (SealedShape it : sealedOnes) {
      lines.add(
          it.alternatives().stream()
              .map(Shape::text)
              .sorted()
              .collect(Collectors.joining("|", it.text() + "=", "")));
    }
    return lines.stream().sorted().collect(Collectors.joining("\n", "", "\n"));
  }

  int size() {
    return named.size();
  }

  DynamicShape dynamic() {
    return dynamic;
  }

  NamedShape shape(int index) {
    return named.get(index);
  }

  @Nullable NamedShape named(String name) {
    return byName.get(name);
  }

  /// The shape of the class of a value; null when it is not registered.
  @Nullable NamedShape named(Object value) {
    return byClass.get(
        value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass());
  }
}
