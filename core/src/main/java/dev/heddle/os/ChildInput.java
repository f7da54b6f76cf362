// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.os.pipe.PipeSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/// The standard input of a child.
///
/// Writes run in the order of their calls. **Thread** the loop that started the child.
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

  /// Writes all of `buffer`. **Suspends** until the pipe has accepted it. **Cancelled** the
  /// buffer's position tells how much was written or is being written.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the child no longer reads
  public void write(ByteBuffer buffer) throws IOException {
    sink.write(buffer);
  }

  /// Writes bytes. Otherwise as [#write(ByteBuffer)].
  public void write(byte[] bytes) throws IOException {
    sink.write(ByteBuffer.wrap(bytes));
  }

  /// Writes text in the command's encoding. Otherwise as [#write(ByteBuffer)].
  public void write(String text) throws IOException {
    write(text.getBytes(charset));
  }

  /// Closes the input: after the bytes written so far, the child reads the end. **Suspends** never.
  @Override
  public void close() {
    sink.close();
  }

  void closeAtOnce() {
    sink.closeAtOnce();
  }
}
