// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.partner;

/// What the other JVM of a contender does. It has a public constructor without parameters.
@FunctionalInterface
public interface Partner {
  /// Starts to answer, on threads of its own.
  ///
  /// @param arguments as given to [PartnerProcess#start]
  /// @return its address, in one line
  String start(String... arguments) throws Exception;
}
