// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// What another JVM has reported about a loop or a runtime. Missing values are empty or 0: that JVM
/// may run an older version.
record Fields(Properties of) {
  String text(String name) {
    return of.getProperty(name, "");
  }

  @Nullable String optional(String name) {
    return of.getProperty(name);
  }

  long number(String name) {
    return Long.parseLong(of.getProperty(name, "0"));
  }
}
