// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.util.List;

/// The result of a query.
sealed interface Answer {
  /// Records: addresses, [dev.heddle.io.SrvRecord], [dev.heddle.io.TxtRecord], or names as text.
  ///
  /// @param values at least one
  /// @param ttl in seconds
  record Found(List<?> values, long ttl) implements Answer {}

  /// There is no such record.
  ///
  /// @param why reason, for messages
  /// @param ttl in seconds; 0: not to be cached
  record None(String why, long ttl) implements Answer {}

  /// The name is an alias, and the response has no records of its target.
  ///
  /// @param target a name, in the form of [Question]
  /// @param ttl in seconds
  record Alias(String target, long ttl) implements Answer {}

  /// The server gave no answer.
  ///
  /// @param why reason, for messages
  /// @param again whether the same server may be asked again
  record Failed(String why, boolean again) implements Answer {}
}
