// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A read that leaves room in its buffer, of a descriptor that may have more.
@Tag("T14.3")
class ShortReadTest {
  /// A stream of pieces; no read gets more than one, and nobody tells of the next.
  private static final class Pieces implements StreamDescriptor {
    private final Queue<String> pieces = new ArrayDeque<>(List.of("abc", "def"));

    @Override
    public int read(ByteBuffer into) {
      String piece = pieces.remove();
      into.put(piece.getBytes(StandardCharsets.US_ASCII));
      return piece.length();
    }

    @Override
    public boolean isDrained() {
      return pieces.isEmpty();
    }

    @Override
    public int write(ByteBuffer from) {
      return 0;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      return 0;
    }

    @Override
    public void arm(Direction direction, ReadinessListener listener) {
      throw new AssertionError("nothing is waited for in these tests");
    }

    @Override
    public void disarm(Direction direction, ReadinessListener listener) {}

    @Override
    public void close() {}
  }

  @Test
  void read_afterOneThatStoppedAtAMark_triesBeforeItWaits() {
    Heddle.run(() -> {
      StreamHandle handle =
          new StreamHandle(CoroutineNode.current().scheduler(), new Pieces(), "pieces");
      assertThat(handle.read(ByteBuffer.allocate(100))).isEqualTo(3);
      assertThat(handle.read(ByteBuffer.allocate(100))).isEqualTo(3);
    });
  }
}
