// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Frame.ExitText;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.Frame.SpawnFlag;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Frames that a faulty node may send: none of them makes `handle` throw, and this node goes on.
@Timeout(300)
class RandomFramesTest {
  private static final int FRAMES = 20_000;

  private final Random random = new Random(1);

  @Test
  void framesOfAnyContent_harmNothing() throws Exception {
    try (TwoNodes nodes = new TwoNodes()) {
      Pid known = nodes.b.obedient(StartOptions.defaults().withMailbox(10, MailboxPolicy.SUSPEND));
      for (int i = 0; i < FRAMES; i++) {
        nodes.b.remote().handle(List.of(frame(nodes, known)));
        if (i % 16 == 0) {
          var _ = nodes.b.runtime.whenExited(nodes.a.local.address(random.nextInt(20)));
        }
      }
      nodes.loseSession();
      nodes.connect();
      Pid fresh = nodes.b.obedient();
      assertThat(nodes.a.runtime.<String>ask(fresh, "hello", Duration.ofMinutes(4)))
          .isEqualTo("hello");
    }
  }

  private Pid pid(TwoNodes nodes, Pid known) {
    return switch (random.nextInt(5)) {
      case 0 -> known.address();
      case 1 -> nodes.b.local.address(random.nextInt(20));
      case 2 -> nodes.a.local.address(random.nextInt(20));
      case 3 -> new Pid("b", "main", random.nextInt(20), random.nextInt(5));
      default -> new Pid("c", "other", random.nextLong(), 1);
    };
  }

  private byte[] content() {
    return switch (random.nextInt(3)) {
      case 0 -> MessageContents.of(new dev.heddle.cluster.wire.NodeLife("a", "main", 1), "text");
      case 1 -> new byte[0];
      default -> {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        yield bytes;
      }
    };
  }

  private FailureText failure() {
    List<String> types =
        List.of(
            "x",
            dev.heddle.process.NoReplyException.class.getName(),
            dev.heddle.process.SendFailedException.class.getName());
    return new FailureText(types.get(random.nextInt(3)), maybe("NOT_FOUND"), "");
  }

  private @Nullable String maybe(String text) {
    return random.nextBoolean() ? text : null;
  }

  private Frame frame(TwoNodes nodes, Pid known) {
    Pid one = pid(nodes, known);
    Pid two = pid(nodes, known);
    long id = random.nextInt(10);
    return switch (random.nextInt(24)) {
      case 0 -> new Frame.Types(List.of("x(", "", "A{B,C}", "A(x:int)"));
      case 1, 2 -> new Frame.Message(one, Content.of(content()));
      case 3 -> new Frame.Ask(id, one, content());
      case 4 -> new Frame.Answer(id, content());
      case 5 -> new Frame.AskFailed(id, failure());
      case 6 -> new Frame.GiveUp(id);
      case 7 -> new Frame.Refused(one, SendResult.FULL, random.nextLong());
      case 8 -> new Frame.Pause(one, MailboxPolicy.SUSPEND);
      case 9 -> new Frame.Resume(one);
      case 10 -> new Frame.Monitor(one);
      case 11 -> new Frame.Demonitor(one);
      case 12 -> new Frame.Link(one, two);
      case 13 -> new Frame.Unlink(one, two, random.nextInt(5));
      case 14 ->
          new Frame.Down(one, new ExitText(Exit.Reason.FAILED, content(), failure(), content()));
      case 15 -> new Frame.AwaitStart(id, one);
      case 16 ->
          new Frame.Spawn(
              id,
              random.nextBoolean() ? "failing" : "none",
              content(),
              random.nextBoolean() ? one : null,
              List.of(SpawnFlag.LINK),
              maybe(""));
      case 17 -> new Frame.Spawned(id, one);
      case 18 -> new Frame.SpawnFailed(id, failure());
      case 19 -> new Frame.Cancel(one, "", random.nextLong());
      case 20 -> new Frame.RequestExit(random.nextBoolean() ? two : null, one, content());
      case 21 -> new Frame.Members(Map.of("x", List.of(one, two)));
      case 22 -> new Frame.Joined("x", one);
      default -> new Frame.Left("x", one);
    };
  }
}
