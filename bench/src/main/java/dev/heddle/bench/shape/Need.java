// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.observe.PlatformReport;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a contender cannot do without.
@FunctionalInterface
public interface Need {
  /// Why it is not there, if it is not.
  Optional<String> missing();

  /// A class on the class path.
  static Need classNamed(String name) {
    return () -> {
      try {
        Class.forName(name, false, Need.class.getClassLoader());
        return Optional.empty();
      } catch (ClassNotFoundException _) {
        return Optional.of(name + " is not on the class path");
      }
    };
  }

  /// A program on the PATH.
  static Need command(String name) {
    return () ->
        Tool.find(name).isPresent()
            ? Optional.empty()
            : Optional.of("'" + name + "' is not on the PATH");
  }

  /// A driver of Heddle's reactor.
  static Need driver(String name) {
    return () ->
        PlatformReport.probe().drivers().stream()
            .filter(driver -> driver.name().equals(name))
            .findFirst()
            .map(driver ->
                driver.available() ? Optional.<String>empty() : Optional.of(driver.reason()))
            .orElse(Optional.of("no driver '" + name + "' is on the class path"));
  }

  /// Something that may not be available here.
  ///
  /// @param what for people
  /// @param cause why it is not, or null
  static Need available(String what, Supplier<@Nullable Throwable> cause) {
    return () ->
        Optional.ofNullable(cause.get()).map(thrown -> what + " is not available: " + thrown);
  }
}
