// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A process that knows its context.
abstract class Actor implements Process {
  private @Nullable ProcessContext context;

  @Override
  public void init(ProcessContext self, String method, @Nullable Object input) {
    context = self;
  }

  final ProcessContext context() {
    return Objects.requireNonNull(context);
  }
}
