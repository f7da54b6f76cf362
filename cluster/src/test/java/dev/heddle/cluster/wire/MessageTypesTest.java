// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Wire;
import dev.heddle.process.Parcel;
import dev.heddle.process.Pid;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Messages between two nodes of one release.
@Tag("wire-3")
class MessageTypesTest {
  enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "a constant with a body";
      }
    }
  }

  record Primitives(boolean z, byte b, short s, int i, long l, char c, float f, double d) {}

  record Boxed(
      @Nullable Boolean z,
      @Nullable Byte b,
      @Nullable Short s,
      @Nullable Integer i,
      @Nullable Long l,
      @Nullable Character c,
      @Nullable Float f,
      @Nullable Double d) {}

  record Values(
      @Nullable String text,
      byte @Nullable [] bytes,
      BigInteger big,
      BigDecimal decimal,
      UUID uuid,
      Duration duration,
      Instant instant,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      Pid pid,
      @Nullable Parcel parcel) {}

  record Collections(
      List<String> list,
      Set<Integer> set,
      Map<String, List<Colour>> map,
      Optional<Boxed> optional,
      List<Map<Long, Optional<Primitives>>> nested) {}

  record Empty() {}

  sealed interface Command permits Add, Nested, Colour2 {}

  record Add(String item, int count) implements Command {}

  sealed interface Nested extends Command permits Clear, Many {}

  record Clear(@Nullable Colour why) implements Nested {}

  record Many(List<Command> commands, Map<UUID, Nested> more, @Nullable Many parent)
      implements Nested {}

  enum Colour2 implements Command {
    BLUE
  }

  record Box<T extends @Nullable Object>(T content, List<T> others) {}

  record Boxes(Box<String> text, Box<Box<Add>> adds, Box<String> again) {}

  record Wide<A, B>(Map<A, ? extends B> map) {}

  record OfWide(Wide<Integer, List<Colour>> wide) {}

  @Wire("an.other-name")
  record Named(int it) {}

  private final MessageKit nodes =
      MessageKit.of(
          Primitives.class,
          Boxed.class,
          Values.class,
          Collections.class,
          Empty.class,
          Command.class,
          Named.class);

  @Test
  void records_ofRandomValues_areReadAsWritten() throws Exception {
    for (long seed = 0; seed < 2000; seed++) {
      RandomValues values = new RandomValues(seed);
      for (Class<?> type :
          List.of(
              Primitives.class,
              Boxed.class,
              Values.class,
              Collections.class,
              Empty.class,
              Command.class,
              Named.class)) {
        Object message = values.of(type);
        assertThat(RandomValues.image(nodes.sent(message)))
            .as("seed %d", seed)
            .isEqualTo(RandomValues.image(message));
      }
    }
  }

  @Test
  void builtIn_messages_needNoRegistration() throws Exception {
    MessageKit none = MessageKit.of();
    for (Object message :
        Arrays.asList(
            null,
            "text",
            true,
            (byte) 1,
            (short) -2,
            3,
            -4L,
            '5',
            6f,
            7d,
            BigInteger.TEN.pow(90),
            new BigDecimal("1E-9"),
            new UUID(1, 2),
            Duration.ofNanos(-1),
            Instant.MAX,
            LocalDate.MIN,
            LocalTime.MAX,
            LocalDateTime.MIN,
            new Pid("b", "x", 4, 5),
            Parcel.of("topic", 1, null, Parcel.of("", "inner")),
            Arrays.asList("a", null, List.of(1, 2L)),
            Set.of("only"),
            Map.of("k", Optional.of('v')),
            Optional.empty())) {
      assertThat(none.sent(message)).isEqualTo(message);
    }
    assertThat((byte[]) none.sent(new byte[] {1, 2, 3})).containsExactly(1, 2, 3);
    assertThat((byte[]) none.sent(new byte[0])).isEmpty();
  }

  @Test
  void pid_ofTheSender_isSmall_andFullAtTheReceiver() throws Exception {
    Pid own = new Pid("a", "heddle", 42, 7);
    assertThat(nodes.encode(own)).hasSize(1 + 1 + 2); // type, CBOR head, bits and number
    assertThat(nodes.sent(new Pid("", "heddle", 42, 7))).isEqualTo(own);
  }

  @Test
  void collections_cannotBeChangedAtTheReceiver() throws Exception {
    List<String> list = new ArrayList<>(List.of("a"));
    Map<String, List<Colour>> map = new LinkedHashMap<>(Map.of("k", new ArrayList<>()));
    Collections sent =
        (Collections) nodes.sent(new Collections(list, Set.of(), map, Optional.empty(), List.of()));
    assertThatThrownBy(() -> sent.list().add("b"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> sent.map().clear()).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> sent.set().add(1)).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void genericRecords_withTheirArguments_areSent() throws Exception {
    MessageKit kit = MessageKit.of(Boxes.class, OfWide.class);
    Box<String> text = new Box<>("x", List.of("y"));
    Boxes boxes =
        new Boxes(text, new Box<>(new Box<>(new Add("z", 1), List.of()), List.of()), text);
    assertThat(kit.sent(boxes)).isEqualTo(boxes);
    OfWide wide = new OfWide(new Wide<>(Map.of(1, List.of(Colour.RED))));
    assertThat(kit.sent(wide)).isEqualTo(wide);
  }

  @Test
  void names_areThoseOfTheClasses_orGiven() {
    assertThat(MessageKit.types(Command.class, Named.class).schema())
        .isEqualTo(
            """
            MessageTypesTest.Add(item:String,count:int)
            MessageTypesTest.Clear(why:MessageTypesTest.Colour)
            MessageTypesTest.Colour2{BLUE}
            MessageTypesTest.Colour{RED,GREEN}
            MessageTypesTest.Command=MessageTypesTest.Add|MessageTypesTest.Clear|MessageTypesTest.Colour2|MessageTypesTest.Many
            MessageTypesTest.Many(commands:List<MessageTypesTest.Command>,more:Map<UUID,MessageTypesTest.Nested>,parent:MessageTypesTest.Many)
            MessageTypesTest.Nested=MessageTypesTest.Clear|MessageTypesTest.Many
            an.other-name(it:int)
            """);
  }

  @Test
  void sealedInterfaces_thatContainEachOther_areWhole() throws Exception {
    // Nested is walked first: Many leads to Command while Nested is not complete
    MessageKit kit = MessageKit.of(Nested.class);
    Many message = new Many(List.of(new Clear(Colour.GREEN)), Map.of(), null);
    assertThat(kit.sent(message)).isEqualTo(message);
  }

  @Test
  void messages_areSmall() {
    // measured with Jackson's data binding, which writes the names of components: 48
    record Small(String cart, String item, int count, long at) {}
    byte[] bytes =
        MessageKit.of(Small.class).encode(new Small("cart-17", "sku-4711", 3, 1_795_000_000_000L));
    assertThat(bytes).hasSize(29);
  }
}
