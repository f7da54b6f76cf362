// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.observe.LoopReport;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
class HeddleOptionsTest {
  private static final HeddleOptions DEFAULTS = HeddleOptions.defaults();

  static Stream<RecordComponent> components() {
    return Arrays.stream(HeddleOptions.class.getRecordComponents());
  }

  private static HeddleOptions changed(RecordComponent component) throws Exception {
    String name = component.getName();
    String with = "with" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    Class<?> type = component.getType();
    return (HeddleOptions)
        HeddleOptions.class.getMethod(with, type).invoke(DEFAULTS, another(component));
  }

  private static Object another(RecordComponent component) throws Exception {
    Consumer<LoopReport> reports = report -> {};
    Object usual = component.getAccessor().invoke(DEFAULTS);
    return switch (usual) {
      case Boolean on -> !on;
      case Long bytes -> bytes + 1;
      case Integer count -> count + 1;
      case Duration time -> time.plusNanos(1);
      case String name -> name + "'";
      default -> reports;
    };
  }

  @ParameterizedTest
  @MethodSource("components")
  void with_changesItsOwnComponentAndNoOther(RecordComponent component) throws Exception {
    HeddleOptions changed = changed(component);
    for (RecordComponent each : components().toList()) {
      Object before = each.getAccessor().invoke(DEFAULTS);
      boolean same = each.getAccessor().invoke(changed).equals(before);
      assertThat(same).as(each.getName()).isEqualTo(!each.getName().equals(component.getName()));
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
