// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.capture.OutputCaptures;

/// Captures what the current coroutine prints to [System#out] and [System#err], until it is closed.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=capture}
///
/// The output of other coroutines is not captured, also while this one waits; a spawned coroutine
/// inherits no capture. Captures nest: the innermost one gets the output. A capture that is still
/// open when its coroutine ends is closed then.
///
/// *Not captured* is the output of other threads: code in [dev.heddle.Heddle#offload] and thread
/// pools, threads that the coroutine starts. Nor is output to a stream that was read from
/// [System#out] earlier, as handlers of loggers do.
///
/// While any coroutine of the JVM captures, [System#out] and [System#err] are streams that delegate
/// each call. When the last capture is closed the original streams are restored, unless other code
/// has set new ones. A coroutine that its loop has abandoned keeps its capture until it closes it.
///
/// **Suspends** never. **Thread** its coroutine; the text may be read by any. **Cost** the text is
/// in memory, without a limit.
///
/// @since 0.1
public interface OutputCapture extends AutoCloseable {
  /// Starts to capture.
  ///
  /// @throws IllegalStateException outside a coroutine
  static OutputCapture open() {
    return OutputCaptures.open();
  }

  /// The output to [System#out] so far.
  String out();

  /// The output to [System#err] so far.
  String err();

  /// Stops capturing; the text remains readable. Open captures inside this one are closed, too.
  /// Further calls do nothing.
  ///
  /// @throws IllegalStateException in a coroutine that did not open it
  @Override
  void close();
}
