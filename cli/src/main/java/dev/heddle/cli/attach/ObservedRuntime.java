// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.time.Duration;
import java.util.Properties;

/// A runtime of processes of another JVM: what that JVM reports, and its answers.
public final class ObservedRuntime {
  private final Observation observation;
  private final Fields fields;

  ObservedRuntime(Observation observation, Properties fields) {
    this.observation = observation;
    this.fields = new Fields(fields);
  }

  /// The name of the host.
  public String name() {
    return fields.text("name");
  }

  /// A count, by its name.
  public long count(String name) {
    return fields.number(name);
  }

  /// For how long it runs.
  public Duration uptime() {
    return Duration.ofMillis(fields.number("uptimeMillis"));
  }

  /// A line for each worker.
  public String workerTable() {
    return observation.ask("workers", fields.text("number"));
  }

  /// A line for each process.
  public String table() {
    return observation.ask("table", fields.text("number"));
  }

  /// Every worker and process, with stacks.
  public String dump() {
    return observation.ask("dump", fields.text("number"));
  }

  /// The same as a JSON object.
  public String dumpJson() {
    return observation.ask("json", fields.text("number"));
  }
}
