// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import java.util.List;
import java.util.Map;

/// What an observer that stays sees of a loop or a process runtime, from look to look.
///
/// A feed is open from the first look of a session to the end of that session. While none is open,
/// the observed code pays nothing. **Thread** that of the session, one at a time.
public interface Feed extends AutoCloseable {
  /// A look: one row for the whole, and one for each thing worth showing. `row` says what it is;
  /// all other names stay the same from version to version, and readers ignore those they do not
  /// know.
  List<Map<String, String>> look();

  /// Measures once how long a ready coroutine waits for its turn; the next look says what came out.
  /// Does nothing where that is measured otherwise.
  default void probe() {}

  /// What an observer asks for now and then and that a look does not have, since reading it costs
  /// more: rows again.
  ///
  /// @throws IllegalArgumentException when it does not know the question
  default List<Map<String, String>> detail(String question) {
    throw new IllegalArgumentException("nothing is known about '" + question + "'");
  }

  /// Called when the observer has left.
  @Override
  void close();
}
