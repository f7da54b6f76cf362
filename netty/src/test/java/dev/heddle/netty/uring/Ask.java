// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Counts its answers.
final class Ask extends FileOperation {
  int answers;
  long result;
  @Nullable Throwable error;

  Ask(Path path, OpenOption... options) {
    super(path, Set.of(options));
  }

  Ask(Kind kind, OpenFile file, @Nullable ByteBuffer buffer, long position) {
    super(kind, file, buffer, position);
  }

  @Override
  protected void completed(long n, @Nullable Throwable e) {
    answers++;
    result = n;
    error = e;
  }
}
