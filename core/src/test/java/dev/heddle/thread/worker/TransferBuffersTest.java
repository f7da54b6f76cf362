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
      taken.add(buffers.take(4096));
      taken.add(buffers.take(TransferBuffers.LARGE));
    }

    assertThat(taken).allMatch(buffer -> buffer.alignmentOffset(0, 4096) == 0);
  }

  @Test
  void take_whatWasGivenBack_isTheSameWithRoomForWhatIsWanted() {
    ByteBuffer first = buffers.take(10);
    buffers.giveBack(first);

    ByteBuffer again = buffers.take(100);

    assertThat(again).isSameAs(first);
    assertThat(again.remaining()).isEqualTo(100);
  }
}
