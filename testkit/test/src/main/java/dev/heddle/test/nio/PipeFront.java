// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import java.nio.channels.Pipe;

/// A pipe within the host.
final class PipeFront extends Pipe {
  private final PipeSourceFront source;
  private final PipeSinkFront sink;

  PipeFront(PipeSourceFront source, PipeSinkFront sink) {
    this.source = source;
    this.sink = sink;
  }

  @Override
  public SourceChannel source() {
    return source;
  }

  @Override
  public SinkChannel sink() {
    return sink;
  }
}
