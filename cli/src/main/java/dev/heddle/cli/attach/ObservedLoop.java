// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// A loop of another JVM: what that JVM reports, and its answers.
public final class ObservedLoop {
  private final Observation observation;
  private final Fields fields;

  ObservedLoop(Observation observation, Properties fields) {
    this.observation = observation;
    this.fields = new Fields(fields);
  }

  /// Its name.
  public String name() {
    return fields.text("name");
  }

  /// `asleep`, `busy` or `held`.
  public String state() {
    return fields.text("state");
  }

  /// A count, by its name.
  public long count(String name) {
    return fields.number(name);
  }

  /// For how long it runs.
  public Duration uptime() {
    return Duration.ofMillis(fields.number("uptimeMillis"));
  }

  /// The coroutine that holds it, or null.
  public @Nullable String holder() {
    return fields.optional("holder");
  }

  /// For how long it is held.
  public Duration held() {
    return Duration.ofMillis(fields.number("heldMillis"));
  }

  /// A line for each coroutine.
  public String table() {
    return observation.ask("table", fields.text("number"));
  }

  /// Every coroutine with its stack.
  public String dump() {
    return observation.ask("dump", fields.text("number"));
  }

  /// The same as a JSON object.
  public String dumpJson() {
    return observation.ask("json", fields.text("number"));
  }
}
