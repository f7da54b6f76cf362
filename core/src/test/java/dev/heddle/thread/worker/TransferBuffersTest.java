// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TransferBuffersTest {
  private final TransferBuffers buffers = new TransferBuffers();

  @Test
  void readOfAFileOpenedDirect_wasRefusedForItsBuffer_beginsWhereAPageDoes() {
    List<ByteBuffer> taken = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      taken.add(buffers.acquire(4096));
      taken.add(buffers.acquire(TransferBuffers.LARGE));
    }

    assertThat(taken).allMatch(buffer -> buffer.alignmentOffset(0, 4096) == 0);
  }

  @Test
  void take_whatWasGivenBack_isTheSameWithRoomForWhatIsWanted() {
    ByteBuffer first = buffers.acquire(10);
    buffers.release(first);

    ByteBuffer again = buffers.acquire(100);

    assertThat(again).isSameAs(first);
    assertThat(again.remaining()).isEqualTo(100);
  }
}
