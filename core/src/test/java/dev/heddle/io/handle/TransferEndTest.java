// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A copy that ends before its input has lost nothing of it.
@Tag("trap-28")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransferEndTest {
  private final Stream input = new Stream("abcdefgh", 0);
  private final Stream output = new Stream("", 3);

  @Test
  void transferTo_cancelledWhileItsTargetIsFull_leavesTheRestToTheNextRead() {
    Heddle.run(() -> {
      StreamHandle source = handle(input);
      Coroutine<Long> copy = waiting(source);
      cancel(copy);
      assertThat(output.taken).hasToString("abc");
      assertThat(read(source)).isEqualTo("defgh");
    });
  }

  @Test
  void transferTo_whoseTargetFails_leavesTheRestToTheNextRead() {
    output.failure = new IOException("No space left on device");
    Heddle.run(() -> {
      StreamHandle source = handle(input);
      assertThatThrownBy(() -> source.transferTo(handle(output)))
          .hasMessageContaining("No space left");
      assertThat(read(source)).isEqualTo("defgh");
    });
  }

  @Test
  void transferTo_cancelledBesideAReaderOfLines_leavesTheBytesInTheirOrder() {
    Heddle.run(() -> {
      StreamHandle source = handle(input);
      Coroutine<Long> copy = waiting(source);
      input.left = ByteBuffer.wrap("ij".getBytes(US_ASCII));
      Coroutine<@Nullable String> line = Heddle.spawn(source::readLine);
      cancel(line);
      cancel(copy);
      assertThat(read(source)).isEqualTo("defghij");
    });
  }

  private Coroutine<Long> waiting(StreamHandle source) {
    return Heddle.spawn(() -> source.transferTo(handle(output)));
  }

  private static void cancel(Coroutine<?> waiting) {
    while (!waiting.isSuspended()) {
      Heddle.yieldNow();
    }
    waiting.cancel("test");
    assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
  }

  private static StreamHandle handle(Stream stream) {
    return new StreamHandle(CoroutineNode.current().scheduler(), stream, "a stream");
  }

  private static String read(StreamHandle source) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    source.read(bytes);
    return US_ASCII.decode(bytes.flip()).toString();
  }

  /// Has some bytes, and room for some.
  private static final class Stream implements StreamDescriptor {
    final StringBuilder taken = new StringBuilder();
    ByteBuffer left;
    @Nullable IOException failure;
    private int room;

    Stream(String content, int room) {
      this.left = ByteBuffer.wrap(content.getBytes(US_ASCII));
      this.room = room;
    }

    @Override
    public int read(ByteBuffer into) {
      int n = left.remaining();
      into.put(left);
      return n;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      if (room == 0 && failure != null) {
        throw failure;
      }
      int n = room;
      for (; room > 0; room--) {
        taken.append((char) from.get());
      }
      return n;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException("one at a time");
    }

    @Override
    public void arm(Direction direction, ReadinessListener listener) {
      // nothing comes, and nothing is taken any more
    }

    @Override
    public void disarm(Direction direction, ReadinessListener listener) {}

    @Override
    public void close() {}
  }
}
