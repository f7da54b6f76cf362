// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.watch;

import java.nio.file.Path;

/// Told what happens below a directory, on a thread beside the loop.
public interface WatchListener {
  /// A path is there now.
  void created(Path path);

  /// The file has other content.
  void modified(Path path);

  /// A path is gone.
  void deleted(Path path);

  /// Something has happened, and nobody knows what.
  void lost();

  /// Nothing more is to come.
  ///
  /// @param why an [java.io.IOException], or what the filter threw
  void failed(Throwable why);
}
