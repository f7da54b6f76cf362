// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.capture.OutputCaptures;

/// What the current coroutine prints to [System#out] and [System#err], kept here instead of
/// printed, until it is closed.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=capture}
///
/// Others that run meanwhile, also while this one waits, print as ever, or each into its own: a
/// spawned coroutine inherits no capture. Captures nest; the innermost one gets what is printed,
/// and closing it goes back to the one around it. A capture that is still open when its coroutine
/// ends is closed then.
///
/// *Not captured* is what other threads print: code in [dev.heddle.Heddle#offload] and thread
/// pools, threads that the coroutine starts. Nor is what goes to a stream that somebody took from
/// [System#out] before, as handlers of loggers do.
///
/// While any coroutine of the process captures, [System#out] and [System#err] are streams of
/// Heddle's, which hand each call on; with the last capture they are put back, unless somebody has
/// set others meanwhile. A coroutine that its loop has abandoned keeps its capture until it closes
/// it.
///
/// **Suspends** never. **Thread** its coroutine; the text may be read by any. **Cost** the text is
/// in memory, without a limit.
///
/// @since 0.1
public interface OutputCapture extends AutoCloseable {
  /// Captures from now on.
  ///
  /// @throws IllegalStateException outside a coroutine
  static OutputCapture open() {
    return OutputCaptures.open();
  }

  /// What was printed to [System#out] so far.
  String out();

  /// What was printed to [System#err] so far.
  String err();

  /// Captures no longer; the text stays. Captures opened inside it and left open are closed with
  /// it. Closing it again changes nothing.
  ///
  /// @throws IllegalStateException in another coroutine than its own
  @Override
  void close();
}
