// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import java.util.Comparator;
import java.util.Properties;

/// The order of the sites.
enum Order {
  /// The most coroutines first.
  COUNT("count", Comparator.comparingLong((Properties row) -> -Look.count(row, "count"))),
  /// The longest wait first.
  OLDEST("oldest", Comparator.comparingLong((Properties row) -> -Look.count(row, "waitedMillis"))),
  /// By spawn site.
  SITE("site", Comparator.comparing((Properties row) -> row.getProperty("site", "")));

  final String displayName;
  final Comparator<Properties> comparator;

  Order(String displayName, Comparator<Properties> comparator) {
    this.displayName = displayName;
    this.comparator = comparator;
  }
}
