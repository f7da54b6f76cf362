// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.simulation.ProcessWorld.MessageCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MessageImageTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private record Order(String customer, List<Object> items, Map<String, int[]> prices) {}

  private static Order order() {
    Map<String, int[]> prices = new TreeMap<>();
    prices.put("tea", new int[] {3, 4});
    List<Object> items = new ArrayList<>(List.of("tea", Optional.of(new StringBuilder("rum"))));
    return new Order("Ada", items, prices);
  }

  private static @Nullable String changeOf(Object message, Runnable by) {
    MessageImage image = MessageImage.of(message);
    assertThat(image.change()).isNull();
    by.run();
    return image.change();
  }

  @Test
  void change_isNamedByItsPath() {
    Order order = order();
    assertThat(changeOf(order, () -> order.prices().get("tea")[1] = 5))
        .isEqualTo("message.prices.value of tea[1]: 4 -> 5");
    assertThat(changeOf(order, () -> order.items().set(0, "milk")))
        .isEqualTo("message.items[0]: tea -> milk");
    assertThat(changeOf(order, () -> order.items().add("ice")))
        .isEqualTo("message.items: 2 elements -> 3 elements");
    StringBuilder text = new StringBuilder("a");
    assertThat(changeOf(Optional.of(List.of(text)), () -> text.append('b')))
        .isEqualTo("message.value[0]: a -> ab");
    Object[] nested = {new Object[] {null}};
    assertThat(changeOf(nested, () -> ((Object[]) nested[0])[0] = Duration.ZERO))
        .isEqualTo("message[0][0]: null -> PT0S");
  }

  @Test
  void equalObjectInPlaceOfAnother_isNoChange_andAnotherOpaqueOneIs() {
    List<Object> values = new ArrayList<>(List.of(new String("a"), new Thread()));
    assertThat(changeOf(values, () -> values.set(0, new String("a")))).isNull();
    assertThat(changeOf(values, () -> values.set(1, new Thread()))).startsWith("message[1]: ");
  }

  @Test
  void cycle_isWalkedOnce() {
    List<Object> ring = new ArrayList<>();
    ring.add(ring);
    ring.add(new int[1]);
    assertThat(changeOf(ring, () -> ((int[]) ring.get(1))[0] = 1))
        .isEqualTo("message[1][0]: 0 -> 1");
    assertThat(changeOf(ring, () -> ring.set(0, ring.get(1)))).startsWith("message[0]: ");
  }

  @Test
  void whatItCannotSee_isNamed() {
    AtomicInteger counter = new AtomicInteger();
    MessageImage image = MessageImage.of(new Object[] {counter, "text", List.of(new Thread())});
    assertThat(image.unchecked())
        .containsExactly("java.lang.Thread", "java.util.concurrent.atomic.AtomicInteger");
    counter.set(1);
    assertThat(image.change()).isNull();
    Object deep = "bottom";
    for (int i = 0; i < 200; i++) {
      deep = Arrays.asList(deep);
    }
    assertThat(MessageImage.of(deep).unchecked())
        .singleElement()
        .asString()
        .contains("depth of 100");
    assertThat(MessageImage.of(new HashMap<>(Map.of(1, 'a', 2L, List.of()))).unchecked()).isEmpty();
  }

  // ---- in a simulation ----

  private static ProcessSimulation withMutation(boolean toBody, MessageCheck check) {
    return ProcessSimulation.run(
        1,
        check,
        true,
        _ -> {
          try (ProcessRuntime runtime = ProcessRuntime.builder().host("bank").start()) {
            List<Object> got = new ArrayList<>();
            Pid to =
                toBody
                    ? runtime.spawn(CoroutineProcess.of(self -> got.add(self.receive(Order.class))))
                    : runtime.spawn((events, out) -> {
                      for (ProcessEvent event : events) {
                        got.add(event.data());
                        out.done();
                      }
                    });
            Pid sender =
                runtime.spawn(
                    CoroutineProcess.of(self -> {
                      Order order = order();
                      self.context().send(to, order);
                      order.prices().get("tea")[0] = 7;
                      return null;
                    }));
            var _ = runtime.awaitExit(sender, HOUR);
            var _ = runtime.awaitExit(to, HOUR);
            assertThat(got).hasSize(1);
          }
        });
  }

  @Test
  @Tag("sim-12")
  void messageThatIsChangedAfterTheSend_failsTheSimulation_withSenderReceiverAndPath() {
    for (boolean toBody : List.of(true, false)) {
      ProcessSimulation simulation = withMutation(toBody, MessageCheck.DEEP);
      assertThat(simulation.thrown()).isNull();
      assertThat(simulation.failures())
          .singleElement()
          .asString()
          .matches("(?s)\\{bank\\|0x2.* has sent \\{bank\\|0x1.* the message Order.*")
          .contains("message.prices.value of tea[0]: 3 -> 7");
      assertThat(withMutation(toBody, MessageCheck.NONE).orThrow().failures()).isEmpty();
    }
  }

  @Test
  @Tag("sim-12")
  void classesThatAreNotCompared_areNamedByTheRuntime() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
                1,
                MessageCheck.DEEP,
                true,
                _ -> {
                  try (ProcessRuntime runtime = ProcessRuntime.start()) {
                    Pid to = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
                    runtime.send(to, List.of(new AtomicInteger(), "text"));
                    var _ = runtime.awaitExit(to, HOUR);
                  }
                })
            .orThrow();
    assertThat(simulation.runtimes().getFirst().unchecked())
        .containsExactly("java.util.concurrent.atomic.AtomicInteger");
  }
}
