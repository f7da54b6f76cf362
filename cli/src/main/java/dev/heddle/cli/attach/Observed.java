// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// A loop of another JVM, its runtime of processes, or its node of a cluster: what that JVM
/// reports, and its answers. Missing values are empty or 0: that JVM may run an older version.
public final class Observed {
  private final Observation observation;
  private final Properties fields;

  Observed(Observation observation, Properties fields) {
    this.observation = observation;
    this.fields = fields;
  }

  /// Its number in the observation; it stays the same as long as it runs.
  public String number() {
    return text("number");
  }

  /// Its name; of a runtime that of the host.
  public String name() {
    return text("name");
  }

  /// A text, by its name, such as `state`: `asleep`, `busy` or `held`.
  public String text(String name) {
    return fields.getProperty(name, "");
  }

  /// The coroutine that holds the loop, or null.
  public @Nullable String holder() {
    return fields.getProperty("holder");
  }

  /// A count, by its name.
  public long count(String name) {
    return Long.parseLong(fields.getProperty(name, "0"));
  }

  /// A time, by the name of its milliseconds.
  public Duration time(String name) {
    return Duration.ofMillis(count(name));
  }

  /// Asks for `table`, `workers` (of a runtime), `dump`, or `json`, the dump as an object.
  public String ask(String question) {
    return observation.ask(question, number());
  }
}
