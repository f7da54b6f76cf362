// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.watch;

import java.nio.file.Path;

/// Called with the changes below a directory, on the watcher's thread.
public interface WatchListener {
  void created(Path path);

  /// The content of a file has changed.
  void modified(Path path);

  void deleted(Path path);

  void lost();

  /// The watch has ended, by an [java.io.IOException] or an exception of the filter.
  void failed(Throwable why);
}
