// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.observe.LoopReport;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
class HeddleOptionsTest {
  private static final HeddleOptions DEFAULTS = HeddleOptions.defaults();

  /// For each switch what turns it to the other side, and what turns it back.
  private static final Map<String, List<UnaryOperator<HeddleOptions>>> SWITCHES =
      Map.of(
          "handleSignals",
          List.of(HeddleOptions::withSignalHandling, HeddleOptions::withoutSignalHandling),
          "reuse",
          List.of(HeddleOptions::withoutReuse, HeddleOptions::withReuse));

  /// The accessors: each has a `with…` of its name, or a pair if it is a switch.
  public static Stream<Method> options() {
    return Arrays.stream(HeddleOptions.class.getDeclaredMethods())
        .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
        .filter(m -> m.getParameterCount() == 0 && m.getReturnType() != HeddleOptions.class);
  }

  private static HeddleOptions changed(Method option) throws Exception {
    List<UnaryOperator<HeddleOptions>> pair = SWITCHES.get(option.getName());
    if (pair != null) {
      return pair.getFirst().apply(DEFAULTS);
    }
    String name = option.getName();
    String with = "with" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    Class<?> type = option.getReturnType();
    return (HeddleOptions)
        HeddleOptions.class.getMethod(with, type).invoke(DEFAULTS, another(option));
  }

  private static Object another(Method option) throws Exception {
    Consumer<LoopReport> reports = report -> {};
    Object usual = option.invoke(DEFAULTS);
    return switch (usual) {
      case Long bytes -> bytes + 1;
      case Integer count -> count + 1;
      case Duration time -> time.plusNanos(1);
      case String name -> name + "'";
      default -> reports;
    };
  }

  @ParameterizedTest
  @MethodSource("options")
  void with_changesItsOwnOptionAndNoOther(Method option) throws Exception {
    HeddleOptions changed = changed(option);
    for (Method each : options().toList()) {
      Object before = each.invoke(DEFAULTS);
      boolean same = each.invoke(changed).equals(before);
      assertThat(same).as(each.getName()).isEqualTo(!each.getName().equals(option.getName()));
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void secondOfAPair_turnsTheSwitchBack(Method option) throws Exception {
    List<UnaryOperator<HeddleOptions>> pair = SWITCHES.get(option.getName());
    assertThat(pair == null).isEqualTo(option.getReturnType() != boolean.class);
    if (pair != null) {
      HeddleOptions back = pair.getLast().apply(changed(option));
      assertThat(option.invoke(back)).isEqualTo(option.invoke(DEFAULTS));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gracePeriod", "shutdownDeadline", "holdLimit", "stallLimit"})
  void negativeDurations_areRefusedByName(String name) {
    Map<String, Consumer<Duration>> setters =
        Map.of(
            "gracePeriod", DEFAULTS::withGracePeriod,
            "shutdownDeadline", DEFAULTS::withShutdownDeadline,
            "holdLimit", DEFAULTS::withHoldLimit,
            "stallLimit", DEFAULTS::withStallLimit);
    assertThatThrownBy(() -> setters.get(name).accept(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(name + " must not be negative: PT-0.000000001S");
  }

  @Test
  void offloadThreads_none_isRefused() {
    assertThatThrownBy(() -> DEFAULTS.withOffloadThreads(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("offloadThreads must be at least 1: 0");
  }

  @Test
  void stackSize_belowZero_isRefused() {
    assertThatThrownBy(() -> DEFAULTS.withStackSize(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stackSize must not be negative: -1");
  }
}
