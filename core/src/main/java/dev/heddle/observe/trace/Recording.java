// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A trace of a loop or a process runtime that is being recorded for an observer, and is then
/// fetched in pieces.
///
/// It is open from the observer's question to the end of his session at the latest. **Thread** that
/// of the session.
public interface Recording extends AutoCloseable {
  /// Ends the recording.
  ///
  /// @return rows with what there is: `row` is `trace` for the whole, `ring` for each thread, in
  ///   the order of the pieces, `name` for those who have names
  List<Map<String, String>> stop();

  /// The next piece: entries of a [TraceRing]; null: no more. Each is of one ring.
  byte @Nullable [] piece();

  /// Ends the recording, and drops what it has.
  @Override
  void close();
}
