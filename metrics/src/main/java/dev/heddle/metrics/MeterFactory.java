// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/// Makes meters that read one source, in one registry, with the same tags. Each keeps its source
/// alive until it is removed.
///
/// @param bound where the meters are kept for their removal
/// @param source read at each scrape
record MeterFactory<T>(MeterRegistry registry, BoundMeters bound, Tags tags, T source) {
  /// Meters of another source.
  <S> MeterFactory<S> of(S other, Tags with) {
    return new MeterFactory<>(registry, bound, with, other);
  }

  /// Checks that no other source has these meters: the registry would return its meter, which goes
  /// on reading it.
  void checkUnused(String name) {
    if (registry.find(name).tags(tags).meter() != null) {
      throw new IllegalStateException(
          "the registry already has a meter '%s' with %s, so %s need another name or more tags"
              .formatted(name, tags, bound));
    }
  }

  /// A level, which rises and falls.
  ///
  /// @param unit what is counted, in the plural
  void gauge(String name, String unit, String description, ToDoubleFunction<T> read) {
    bound.add(
        registry,
        Gauge.builder(name, source, read)
            .strongReference(true)
            .baseUnit(unit)
            .description(description)
            .tags(tags)
            .register(registry));
  }

  /// A count, which only grows.
  ///
  /// @param unit what is counted, in the plural
  void counter(String name, String unit, String description, ToDoubleFunction<T> read) {
    bound.add(
        registry,
        // the meter refers to its source weakly, and to the function strongly
        FunctionCounter.builder(name, source, _ -> read.applyAsDouble(source))
            .baseUnit(unit)
            .description(description)
            .tags(tags)
            .register(registry));
  }

  /// A time, which the registry shows in its own unit.
  ///
  /// @param unit of what is read
  void time(String name, String description, TimeUnit unit, ToDoubleFunction<T> read) {
    bound.add(
        registry,
        TimeGauge.builder(name, source, unit, read)
            .strongReference(true)
            .description(description)
            .tags(tags)
            .register(registry));
  }
}
