// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.MessageCodec;
import dev.heddle.cluster.Wire;
import dev.heddle.process.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What cannot be a message is refused when it is registered, with the path to it.
@Tag("wire-5")
class MessageRegistrationTest {
  record OfObject(String item, Object extra) {}

  record Deep(List<Map<String, Optional<OfObject>>> in) {}

  interface Open {}

  record OfOpen(Open open) {}

  record OfLambda(Runnable then) {}

  record OfSupplier(Supplier<String> later) {}

  static final class Mutable {}

  record OfMutable(Mutable it) {}

  record OfArray(int[] numbers) {}

  record OfGenericArray(List<String>[] lists) {}

  @SuppressWarnings("rawtypes") // the point of the test
  record OfRawList(List list) {}

  record Box<T>(T it) {}

  @SuppressWarnings("rawtypes") // the point of the test
  record OfRawBox(Box box) {}

  record OfWildcard(List<?> list) {}

  record OfObjectBox(Box<Object> box) {}

  record OfCollection(Collection<String> all) {}

  record OfArrayList(ArrayList<String> list) {}

  record OfNumber(Number number) {}

  record OfThrowable(Throwable failure) {}

  record OfReplies(List<Reply<String>> replies) {}

  @SuppressWarnings("rawtypes") // the point of the test
  record OfRawReply(Reply reply) {}

  record OfReplyOfOpen(Reply<Open> reply) {}

  record Endless<T>(Optional<Endless<Box<T>>> next) {}

  record OfEndless(Endless<String> it) {}

  sealed interface Command permits Good, Bad, Worse {}

  record Good() implements Command {}

  record Bad(Object extra) implements Command {}

  non-sealed interface Worse extends Command {}

  sealed interface WithWorse permits OpenOne {}

  non-sealed interface OpenOne extends WithWorse {}

  sealed interface WithClass permits Plain {}

  static final class Plain implements WithClass {}

  sealed interface Result<T> permits Ok {}

  record Ok<T>(T it) implements Result<T> {}

  @Wire("with blank")
  record WrongName() {}

  @Wire("String")
  record TakenName() {}

  @Wire("MessageRegistrationTest.Good")
  record SameName() {}

  private static final String KINDS = "a message consists of records";

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(OfObject.class, "OfObject.extra is Object", KINDS),
        Arguments.of(Deep.class, "Deep.in[][][].extra is Object", KINDS),
        Arguments.of(OfOpen.class, "OfOpen.open is Open", "not sealed"),
        Arguments.of(OfLambda.class, "OfLambda.then is Runnable", "not sealed"),
        Arguments.of(OfSupplier.class, "OfSupplier.later is Supplier", "not sealed"),
        Arguments.of(OfMutable.class, "OfMutable.it is Mutable", "no record"),
        Arguments.of(OfArray.class, "OfArray.numbers is int[]", "no record"),
        Arguments.of(OfGenericArray.class, "OfGenericArray.lists is java.util.List", KINDS),
        Arguments.of(OfRawList.class, "OfRawList.list is a raw List", "type arguments"),
        Arguments.of(OfRawBox.class, "OfRawBox.box is a raw Box", "type arguments"),
        Arguments.of(Box.class, "Box is a raw Box", "type arguments"),
        Arguments.of(OfWildcard.class, "OfWildcard.list[] is Object", KINDS),
        Arguments.of(OfObjectBox.class, "OfObjectBox.box<> is Object", KINDS),
        Arguments.of(OfCollection.class, "OfCollection.all is Collection", "not sealed"),
        Arguments.of(OfArrayList.class, "OfArrayList.list is ArrayList", "no record"),
        Arguments.of(OfNumber.class, "OfNumber.number is Number", "no record"),
        Arguments.of(OfThrowable.class, "OfThrowable.failure is Throwable", "no record"),
        Arguments.of(OfReplies.class, "OfReplies.replies[] is a Reply", "component of a record"),
        Arguments.of(OfRawReply.class, "OfRawReply.reply is a raw Reply", ""),
        Arguments.of(OfReplyOfOpen.class, "OfReplyOfOpen.reply is Open", "not sealed"),
        Arguments.of(OfEndless.class, "OfEndless.it.next[].next[]", "too large to be announced"),
        Arguments.of(Command.class, "Bad.extra is Object", KINDS),
        Arguments.of(WithWorse.class, "OpenOne is OpenOne", "not sealed"),
        Arguments.of(WithClass.class, "Plain is Plain", "no record"),
        Arguments.of(Result.class, "Ok is a raw Ok", "type arguments"),
        Arguments.of(Open.class, "Open is Open", "not sealed"),
        Arguments.of(Object.class, "Object is Object", KINDS),
        Arguments.of(WrongName.class, "the name 'with blank'", "letters, digits"),
        Arguments.of(TakenName.class, "'String'", "@Wire"));
  }

  @ParameterizedTest
  @MethodSource
  void refused(Class<?> type, String path, String why) {
    assertThatThrownBy(() -> MessageKit.types(type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(path)
        .hasMessageContaining(why);
  }

  @Test
  void twoTypes_ofOneName_areRefused() {
    assertThatThrownBy(() -> MessageKit.types(Good.class, SameName.class))
        .hasMessageContaining("$Good")
        .hasMessageContaining("$SameName")
        .hasMessageContaining("@Wire");
  }

  @Test
  void recordWithATooLongSignature_isRefused() {
    // a name is at most 200 characters; eleven types of that length in one signature
    assertThatThrownBy(() -> MessageKit.types(LongSignature.class))
        .hasMessageContaining("too large to be announced");
  }

  @Wire(LONG)
  record L() {}

  private static final String LONG =
      "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
          + "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";

  record LongSignature(L a, L b, L c, L d, L e, L f, L g, L h, L i, L j, L k) {}

  // ---- codecs ----

  record Point(int x, int y) {}

  record Shape(Mutable of, List<Mutable> more) {}

  static final class MutableCodec implements MessageCodec<Mutable> {
    @Override
    public Class<Mutable> type() {
      return Mutable.class;
    }

    @Override
    public String name() {
      return "mutable";
    }

    @Override
    public byte[] encode(Mutable value) {
      return new byte[] {1};
    }

    @Override
    public Mutable decode(byte[] bytes) {
      if (bytes.length != 1) {
        throw new IllegalArgumentException("one byte");
      }
      return new Mutable();
    }
  }

  @Test
  void class_withACodec_isAMessage_andAComponent() throws Exception {
    MessageTypes types = MessageTypes.of(List.of(Shape.class), List.of(new MutableCodec()));
    MessageKit kit = new MessageKit(types, types);
    assertThat(kit.sent(new Mutable())).isInstanceOf(Mutable.class);
    Shape sent = (Shape) kit.sent(new Shape(new Mutable(), List.of(new Mutable())));
    assertThat(sent.more()).hasSize(1);
    assertThat(types.schema()).contains("mutable\n").contains("(of:mutable,more:List<mutable>)");
  }

  @Test
  void twoCodecs_ofOneClass_areRefused() {
    assertThatThrownBy(
            () -> MessageTypes.of(List.of(), List.of(new MutableCodec(), new MutableCodec())))
        .hasMessageContaining("Mutable has a codec");
  }
}
