// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.NotSendableException;
import dev.heddle.process.Parcel;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What cannot be encoded is refused at the sender, with its type, the path and the size.
@Tag("wire-6")
class NotSendableTest {
  record Unknown() {}

  record Text(String text) {}

  record Texts(List<String> texts, Map<String, Text> map) {}

  record Tree(Optional<Tree> below) {}

  record Throwing(int it) {
    @Override
    public int it() {
      throw new UnsupportedOperationException("no accessor");
    }
  }

  private final MessageKit kit = MessageKit.of(Texts.class, Tree.class, Throwing.class);

  private void refused(@Nullable Object message, String text) {
    assertThatThrownBy(() -> kit.encode(message))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining(text);
  }

  @Test
  void type_thatIsNotRegistered() {
    refused(new Unknown(), "Unknown is a dev.heddle.cluster.wire.NotSendableTest$Unknown");
    refused(new Object(), "Object is a java.lang.Object, which is not registered");
    refused(
        new Unknown(), "by ClusterOptions.messages(...), here and at the node that receives it");
    refused(new int[0], "int[] is a [I, which is not registered");
    refused((Runnable) () -> {}, "which is not registered");
  }

  @Test
  void value_withinAParcel_hasItsPath() {
    refused(
        Parcel.of("t", 1, List.of("a", Map.of("k", new Unknown()))),
        "Parcel[2][1][1] is a dev.heddle.cluster.wire.NotSendableTest$Unknown");
  }

  @Test
  void message_ofMoreThanAMebibyte() {
    refused(new byte[Limits.MESSAGE_BYTES], "byte[] has 1048576 bytes; at most 1048575");
    refused(new byte[Limits.MESSAGE_BYTES], "send it in parts");
    refused(
        "x".repeat(Limits.MESSAGE_BYTES),
        "String has more than 1048576 bytes, the limit of a message; send it in parts");
    refused(
        new Texts(List.of("a", "x".repeat(Limits.MESSAGE_BYTES)), Map.of()),
        "has more than 1048576 bytes");
    List<String> many = new ArrayList<>(List.of("x".repeat(1000)));
    while (many.size() < 2000) {
      many.add(many.getFirst());
    }
    refused(new Texts(many, Map.of()), "has more than 1048576 bytes");
  }

  @Test
  void message_ofJustAMebibyte_isSent() throws Exception {
    byte[] bytes = new byte[Limits.MESSAGE_BYTES - 1];
    assertThat((byte[]) kit.sent(bytes)).hasSize(bytes.length);
    String text = "x".repeat(Limits.MESSAGE_BYTES - 10);
    assertThat(kit.sent(text)).isEqualTo(text);
  }

  @Test
  void message_thatContainsItself() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    refused(list, "nested more than 100 deep");
  }

  @Test
  void message_nestedToTheLimit_isSent() throws Exception {
    Tree tree = new Tree(Optional.empty());
    for (int i = 0; i < 49; i++) {
      tree = new Tree(Optional.of(tree)); // two levels each
    }
    assertThat(kit.sent(tree)).isEqualTo(tree);
    refused(new Tree(Optional.of(tree)), "nested more than 100 deep");
  }

  @Test
  void text_thatIsNoUnicode() {
    refused(new Text("\ud800"), "Text.text has half of a surrogate pair");
    assertThat(kit.encode(new Text("\ud83d\ude00"))).isNotEmpty();
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // the point of the test
  void element_ofAnotherTypeThanTheCollectionSays() {
    refused(new Texts((List) List.of(1), Map.of()), "Texts.texts");
  }

  @Test
  void accessor_thatThrows() {
    refused(new Throwing(1), "Throwing.it cannot be encoded");
  }

  @Test
  void collection_thatCannotBeCopied() {
    List<String> changing =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            throw new ConcurrentModificationException();
          }

          @Override
          public int size() {
            return 3;
          }
        };
    refused(new Texts(changing, Map.of()), "Texts.texts cannot be copied");
  }
}
