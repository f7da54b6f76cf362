// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.os.pipe.PipeSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/// What a child reads from its standard input.
///
/// Writes are served in the order of their calls. **Thread** the loop that started the child.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=child}
///
/// @since 0.1
public final class ChildInput implements AutoCloseable {
  private final PipeSink sink;
  private final Charset charset;

  ChildInput(PipeSink sink, Charset charset) {
    this.sink = sink;
    this.charset = charset;
  }

  /// Writes all of `buffer`. **Suspends** until the pipe has taken it. **Cancelled** the buffer's
  /// position says how much has left, or is on its way.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the child reads no more
  public void write(ByteBuffer buffer) throws IOException {
    sink.write(buffer);
  }

  /// Writes bytes. Else as [#write(ByteBuffer)].
  public void write(byte[] bytes) throws IOException {
    sink.write(ByteBuffer.wrap(bytes));
  }

  /// Writes text in the command's encoding. Else as [#write(ByteBuffer)].
  public void write(String text) throws IOException {
    write(text.getBytes(charset));
  }

  /// Says that no more will be written: the child reads the end behind what was. **Suspends**
  /// never.
  @Override
  public void close() {
    sink.close();
  }

  void closeAtOnce() {
    sink.closeAtOnce();
  }
}
