// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Pid;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Messages and requests behind one mailbox.
@Tag("C9")
class HeldFramesTest {
  private static final int STEPS = 20_000;
  private static final int SEEDS = 20;
  private static final int OWN_BYTES = 36; // of a frame: head, id, and an array of its own
  private static final int REST_BYTES = 64 * 1024; // of arrays that are not full

  private final Pid to = new Pid("b", "main", 1, 1);
  private final HeldFrames held = new HeldFrames(to);

  /// As a queue of frames would.
  @Test
  @Tag("C2")
  void anySequence_comesOutAsItWent_andItsMemoryIsCounted() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Deque<Frame> expected = new ArrayDeque<>();
      long content = 0;
      for (int i = 0; i < STEPS; i++) {
        boolean isFilling = i / 1_000 % 2 == 0; // as the mailbox has space or not
        if (random.nextInt(10) < (isFilling ? 8 : 2)) {
          Frame next = frame(random);
          expected.add(next);
          held.add(next);
          content += size(next);
        } else if (!expected.isEmpty()) {
          Frame first = expected.remove();
          assertThat(isSame(held.peek(), first)).as("seed %d, step %d", seed, i).isTrue();
          held.remove();
          content -= size(first);
        }
        assertThat(held.size()).isEqualTo(expected.size());
        long most = 3 * (content + (long) OWN_BYTES * expected.size()) / 2 + REST_BYTES;
        assertThat(held.memory()).as("seed %d, step %d", seed, i).isBetween(content, most);
      }
      while (!held.isEmpty()) {
        assertThat(isSame(held.peek(), expected.remove())).isTrue();
        held.remove();
      }
      assertThat(held.peek()).isNull();
      assertThat(held.memory()).isZero();
    }
  }

  private Frame frame(Random random) {
    int length =
        switch (random.nextInt(20)) {
          case 0 -> random.nextInt(3 * HeldFrames.MOST_BYTES);
          case 1 -> HeldFrames.MOST_BYTES / 8 - 12 + random.nextInt(16);
          case 2 -> 0;
          default -> random.nextInt(200);
        };
    byte[] content = new byte[length];
    random.nextBytes(content);
    return random.nextInt(3) == 0
        ? new Frame.Ask(random.nextLong(), to, content)
        : new Frame.Message(to, Content.of(content));
  }

  private static int size(Frame frame) {
    return switch (frame) {
      case Frame.Message message -> message.content().length();
      case Frame.Ask ask -> ask.content().length;
      default -> throw new AssertionError(frame);
    };
  }

  private static boolean isSame(Frame one, Frame other) {
    return switch (one) {
      case Frame.Message(Pid to, Content content) ->
          other instanceof Frame.Message(Pid same, Content bytes)
              && to.equals(same)
              && Arrays.equals(content.toBytes(), bytes.toBytes());
      case Frame.Ask(long id, Pid to, byte[] content) ->
          other instanceof Frame.Ask(long number, Pid same, byte[] bytes)
              && id == number
              && to.equals(same)
              && Arrays.equals(content, bytes);
      default -> throw new AssertionError(one);
    };
  }

  @Test
  void smallMessages_takeHardlyMoreThanTheirBytes() {
    int messages = 1_000_000;
    for (int i = 0; i < messages; i++) {
      held.add(new Frame.Message(to, Content.of(new byte[] {1, 2})));
    }
    assertThat(held.memory()).isLessThan(4L * messages);
  }

  @Test
  void largeMessages_takeHardlyMoreThanTheirBytes() {
    for (int i = 0; i < 100; i++) {
      held.add(new Frame.Message(to, Content.of(new byte[HeldFrames.MOST_BYTES / 2])));
    }
    assertThat(held.memory()).isLessThan(100L * (HeldFrames.MOST_BYTES / 2 + 64));
  }

  @Test
  void oneSmallMessage_takesASmallArray() {
    held.add(new Frame.Message(to, Content.of(new byte[] {1, 2})));
    assertThat(held.memory()).isEqualTo(HeldFrames.ARRAY_COST + HeldFrames.LEAST_BYTES);
  }

  @Test
  void requestThatIsLookedAtAgain_isCopiedOnce() {
    held.add(new Frame.Ask(1, to, new byte[100]));
    Frame first = held.peek();
    assertThat(held.peek()).isSameAs(first);
    held.forgetPeeked();
    assertThat(held.peek()).isNotSameAs(first); // the copy was not kept
  }
}
