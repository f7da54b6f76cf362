// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.capture;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.OutputCapture;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.SwitchHandler;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.internal.StackGuard;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The open captures of one coroutine.
public final class OutputCaptures implements SwitchHandler {
  /*
   * The JVM has one System.out, and a coroutine leaves its thread in two ways: by a wait in Heddle,
   * which calls LEAVE and ENTER, and by a wait in the JDK, which does not. Therefore System.out is
   * not swapped at switches. Instead one stream is installed there; at each call it looks up the
   * open capture of the current coroutine, which is kept as one of its switch handlers. The handler
   * itself serves only the end: it is added with the first capture, removed at the first switch
   * that finds none open, and at FINISH it closes the remaining captures.
   *
   * Threads. Its coroutine's. The streams are counted for the whole JVM, see StandardStreams.
   *
   * I1. A capture gets exactly what its coroutine prints on its own stack while no inner one is
   *     open. [OutputCaptureTest]
   * I2. A capture holds the standard streams from its opening until it is closed, and releases them
   *     once. [OutputCaptureTest]
   *
   * Rejected. A thread-local: it belongs to the context, which other coroutines reuse. Swapping
   * System.out in LEAVE and ENTER: see above; and other threads print, too. Inheriting captures in
   * spawned coroutines: they outlive the block that reads the text.
   *
   * Sources. Promises T10, T11; loop-284.
   */

  // its coroutine only
  private @Nullable Capture innermost;

  private OutputCaptures() {}

  public static OutputCapture open() {
    CoroutineNode<?> self = CoroutineNode.current();
    StackGuard.requireRoom();
    OutputCaptures mine = self.switchHandler(OutputCaptures.class);
    if (mine == null) {
      mine = new OutputCaptures();
      self.addSwitchHandler(mine);
    }
    return mine.add(self);
  }

  private static @Nullable Capture current() {
    CoroutineNode<?> self = CoroutineNode.currentOrNull();
    OutputCaptures open = self == null ? null : self.switchHandler(OutputCaptures.class);
    return open == null ? null : open.innermost;
  }

  static @Nullable PrintStream openOut() {
    Capture capture = current();
    return capture == null ? null : capture.outStream;
  }

  static @Nullable PrintStream openErr() {
    Capture capture = current();
    return capture == null ? null : capture.errStream;
  }

  private Capture add(CoroutineNode<?> self) {
    Capture added = new Capture(self, innermost);
    StandardStreams.acquire();
    innermost = added;
    return added;
  }

  @Override
  public boolean onSwitch(Coroutine<?> coroutine, Switch kind) {
    while (kind == Switch.FINISH && innermost != null) {
      innermost.end();
    }
    return innermost != null;
  }

  final class Capture implements OutputCapture {
    private final CoroutineNode<?> owner;
    private final @Nullable Capture outer;
    private final ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    final PrintStream outStream = new PrintStream(outBytes, false, StandardCharsets.UTF_8);
    final PrintStream errStream = new PrintStream(errBytes, false, StandardCharsets.UTF_8);
    private boolean closed;

    Capture(CoroutineNode<?> owner, @Nullable Capture outer) {
      this.owner = owner;
      this.outer = outer;
    }

    @Override
    public String out() {
      return outBytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public String err() {
      return errBytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
      if (CoroutineNode.currentOrNull() != owner) {
        throw new IllegalStateException(
            "a capture is closed by the coroutine that opened it: " + owner.describe());
      }
      while (!closed && innermost != null) {
        innermost.end();
      }
    }

    private void end() {
      closed = true;
      innermost = outer;
      StandardStreams.release();
    }

    @Override
    public String toString() {
      return "output capture of " + owner.label();
    }
  }
}
