// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.Wire;
import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import dev.heddle.process.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Messages between nodes of two releases: V1 and V2.
@Tag("wire-4")
class MessageEvolutionTest {
  @Wire("Line")
  record LineV1(String sku, int count) {}

  @Wire("Line")
  record LineV2(int count, double price, String sku) {} // reordered, one added

  @Wire("Order")
  record OrderV1(String id, List<LineV1> lines, String gone, Map<String, LineV1> more) {}

  @Wire("Order")
  record OrderV2(
      Map<String, LineV2> more,
      List<LineV2> lines,
      String id,
      @Nullable String text,
      boolean z,
      char c,
      @Nullable Integer boxed,
      Optional<String> optional,
      List<String> list,
      Set<String> set,
      Map<String, String> map) {}

  @Wire("Colour")
  enum ColourV1 {
    RED,
    GREEN
  }

  @Wire("Colour")
  enum ColourV2 {
    BLUE,
    GREEN,
    RED
  }

  @Wire("Paint")
  record PaintV1(List<ColourV1> colours) {}

  @Wire("Paint")
  record PaintV2(List<ColourV2> colours) {}

  @Wire("Add")
  record AddV1(int count) {}

  @Wire("Add")
  record AddV2(long count) {} // retyped

  @Wire("Command")
  sealed interface CommandV1 permits GoV1 {}

  @Wire("Go")
  record GoV1(int steps) implements CommandV1 {}

  @Wire("Command")
  sealed interface CommandV2 permits GoV2, TurnV2 {}

  @Wire("Go")
  record GoV2(int steps) implements CommandV2 {}

  @Wire("Turn")
  record TurnV2(int degrees) implements CommandV2 {}

  @Wire("Plan")
  record PlanV1(String by, List<CommandV1> steps) {}

  @Wire("Plan")
  record PlanV2(String by, List<CommandV2> steps) {}

  @Wire("Holder")
  record HolderV1(AddV1 add) {}

  @Wire("Holder")
  record HolderV2(GoV2 add) {} // retyped to another record with a component of the same type

  @Wire("Count")
  record CountV1(String what) {}

  @Wire("Count")
  record CountV2(Reply<Integer> reply, String what) {}

  private static MessageKit nodes(Class<?> sender, Class<?> receiver) {
    return new MessageKit(MessageKit.types(sender), MessageKit.types(receiver));
  }

  @Test
  void components_addedRemovedAndReordered() throws Exception {
    OrderV1 order =
        new OrderV1("o-1", List.of(new LineV1("a", 1)), "x", Map.of("k", new LineV1("b", 2)));
    assertThat(nodes(OrderV1.class, OrderV2.class).sent(order))
        .isEqualTo(
            new OrderV2(
                Map.of("k", new LineV2(2, 0, "b")),
                List.of(new LineV2(1, 0, "a")),
                "o-1",
                null,
                false,
                (char) 0,
                null,
                Optional.empty(),
                List.of(),
                Set.of(),
                Map.of()));
  }

  @Test
  void components_ofTheOlderRelease_fromTheNewer() throws Exception {
    OrderV2 order =
        new OrderV2(
            Map.of(),
            List.of(new LineV2(1, 2.5, "a")),
            "o-1",
            "text",
            true,
            'c',
            5,
            Optional.of("p"),
            List.of("l"),
            Set.of(),
            Map.of("m", "n"));
    OrderV1 sent = (OrderV1) nodes(OrderV2.class, OrderV1.class).sent(order);
    assertThat(sent.lines()).containsExactly(new LineV1("a", 1));
    assertThat(sent.gone()).isNull();
  }

  @Test
  void constants_inAnotherOrder_keepTheirNames() throws Exception {
    assertThat(
            nodes(PaintV1.class, PaintV2.class)
                .sent(new PaintV1(List.of(ColourV1.RED, ColourV1.GREEN))))
        .isEqualTo(new PaintV2(List.of(ColourV2.RED, ColourV2.GREEN)));
  }

  @Test
  void constant_thatIsUnknown_isRefused() throws Exception {
    MessageKit nodes = nodes(PaintV2.class, PaintV1.class);
    assertThatThrownBy(() -> nodes.sent(new PaintV2(List.of(ColourV2.RED, ColourV2.BLUE))))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class,
            it -> assertThat(it.why()).isEqualTo(Why.UNKNOWN_CONSTANT))
        .hasMessage("Paint: at .colours[1]: the constant BLUE of Colour does not exist here");
    assertThat(nodes.sent(new PaintV2(List.of(ColourV2.RED))))
        .isEqualTo(new PaintV1(List.of(ColourV1.RED)));
  }

  @Test
  void component_ofAnotherType_isRefused() {
    assertThatThrownBy(() -> nodes(AddV1.class, AddV2.class).sent(new AddV1(1)))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class,
            it -> assertThat(it.why()).isEqualTo(Why.WRONG_SHAPE))
        .hasMessageContaining("Add: count is long here and int at the sender");
  }

  @Test
  void component_ofAnotherRecord_isRefused_thoughTheBytesWouldFit() {
    assertThatThrownBy(() -> nodes(HolderV1.class, HolderV2.class).sent(new HolderV1(new AddV1(1))))
        .hasMessageContaining("Holder: add is Go here and Add at the sender");
  }

  @Test
  void type_thatIsUnknown_isRefused_whereItOccurs() throws Exception {
    MessageKit nodes = nodes(PlanV2.class, PlanV1.class);
    assertThatThrownBy(() -> nodes.sent(new PlanV2("me", List.of(new GoV2(1), new TurnV2(90)))))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class,
            it -> {
              assertThat(it.why()).isEqualTo(Why.UNKNOWN_TYPE);
              assertThat(it.type()).isEqualTo("Plan");
            })
        .hasMessage("Plan: at .steps[1]: type Turn is not registered here");
    assertThat(nodes.sent(new PlanV2("me", List.of(new GoV2(1)))))
        .isEqualTo(new PlanV1("me", List.of(new GoV1(1))));
  }

  @Test
  void message_thatIsUnknown_isRefused_byItsName() {
    assertThatThrownBy(() -> nodes(AddV1.class, GoV1.class).sent(new AddV1(1)))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class,
            it -> {
              assertThat(it.why()).isEqualTo(Why.UNKNOWN_TYPE);
              assertThat(it.type()).isEqualTo("Add");
            });
  }

  @Test
  void reply_thatIsNew_isThatOfTheAsk() throws Exception {
    MessageKit nodes = nodes(CountV1.class, CountV2.class);
    byte[] content = nodes.encode(new CountV1("all"));
    assertThat(nodes.reader().isTyped(content)).isTrue();
    assertThatThrownBy(() -> nodes.reader().decode(content))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class, it -> assertThat(it.why()).isEqualTo(Why.NO_REPLY));
  }
}
