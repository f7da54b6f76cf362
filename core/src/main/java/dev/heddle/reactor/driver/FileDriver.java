// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/// Works with files, by completion: an operation is submitted with all it needs, and completes when
/// it has ended, whoever still waits for it.
///
/// A file is closed by an operation, too, when none other is under way; those still open when the
/// loop ends are closed with it.
///
/// **Thread** the carrier, or a coroutine mounted on it, never inside a tick; takes no lock that a
/// tick takes, too.
public interface FileDriver {
  /// Whether it can open this file with these options; else the loop's threads do.
  boolean opens(Path path, Set<? extends OpenOption> options);

  /// Begins `operation`. It completes in a later tick.
  void submit(FileOperation operation);

  /// Asks that `operation`, which nobody waits for any more, end soon. Its completion follows all
  /// the same, with a failure or as if nothing had been asked.
  void cancel(FileOperation operation);
}
