// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.look.Look;
import java.util.Comparator;
import java.util.Properties;

/// The order of the sites.
enum Order {
  /// The most coroutines first.
  COUNT("count"),
  /// The longest wait first.
  OLDEST("oldest"),
  /// By spawn site.
  SITE("site");

  final String displayName;

  Order(String displayName) {
    this.displayName = displayName;
  }

  Comparator<Properties> comparator() {
    return switch (this) {
      case COUNT -> Comparator.comparingLong((Properties row) -> -Look.count(row, "count"));
      case OLDEST -> Comparator.comparingLong((Properties row) -> -Look.count(row, "waitedMillis"));
      case SITE -> Comparator.comparing((Properties row) -> row.getProperty("site", ""));
    };
  }
}
