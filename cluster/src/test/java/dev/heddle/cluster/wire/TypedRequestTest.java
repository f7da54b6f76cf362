// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.wire.UndecodableMessageException.Why;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests that contain their reply.
@Tag("wire-9")
@Timeout(300)
class TypedRequestTest {
  record CountItems(String what, Reply<Integer> reply, int most) {}

  record Untyped(String what) {}

  record Within(CountItems request) {}

  private final MessageKit kit = MessageKit.of(CountItems.class, Untyped.class, Within.class);
  private final ProcessRuntime runtime = ProcessRuntime.start();
  private final Reply<?> atSender = reply();
  private final Reply<?> atReceiver = reply();

  @AfterEach
  void end() {
    runtime.close();
  }

  /// A reply as a process receives it.
  private Reply<?> reply() {
    BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    Pid pid =
        runtime.spawn((events, _) ->
            events.forEach(it -> {
              if (it.data() instanceof Request request) {
                received.add(request.reply());
              }
            }));
    var _ = runtime.request(pid, "ask");
    try {
      return (Reply<?>) received.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("unchecked") // the test asks for no reply
  private CountItems request(@Nullable Reply<?> reply) {
    return new CountItems("all", (Reply<Integer>) reply, 9);
  }

  @Test
  void request_hasTheReplyOfTheReceiver() throws Exception {
    byte[] content = kit.writer().encodeAsk(request(atSender), atSender);
    assertThat(kit.reader().isTyped(content)).isTrue();
    assertThat(kit.reader().decodeAsk(content, atReceiver)).isEqualTo(request(atReceiver));
  }

  @Test
  void request_thatIsNotAsked_isRefusedAtTheSender() {
    assertThatThrownBy(() -> kit.encode(request(atSender)))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining("CountItems.reply is a Reply");
  }

  @Test
  void request_withAnotherReply_isRefusedAtTheSender() {
    for (Reply<?> other : new Reply<?>[] {atReceiver, null}) {
      assertThatThrownBy(() -> kit.writer().encodeAsk(request(other), atSender))
          .isInstanceOf(NotSendableException.class)
          .hasMessageContaining("CountItems.reply is not the Reply of this request");
    }
  }

  @Test
  void request_withinAMessage_isRefusedAtTheSender() {
    assertThatThrownBy(() -> kit.writer().encodeAsk(new Within(request(atSender)), atSender))
        .isInstanceOf(NotSendableException.class)
        .hasMessageContaining("Within.request.reply is a Reply");
    assertThatThrownBy(() -> kit.writer().encodeAsk(List.of(request(atSender)), atSender))
        .hasMessageContaining("[0].reply is a Reply");
  }

  @Test
  void request_thatWasNotAsked_isRefusedAtTheReceiver() {
    byte[] content = kit.writer().encodeAsk(request(atSender), atSender);
    assertThatThrownBy(() -> kit.reader().decode(content))
        .isInstanceOfSatisfying(
            UndecodableMessageException.class, it -> assertThat(it.why()).isEqualTo(Why.NO_REPLY));
  }

  @Test
  void request_withoutAReplyInIt_isUntyped() throws Exception {
    byte[] content = kit.writer().encodeAsk(new Untyped("x"), atSender);
    assertThat(kit.reader().isTyped(content)).isFalse();
    assertThat(kit.reader().decode(content)).isEqualTo(new Untyped("x"));
    assertThat(kit.reader().isTyped(new byte[0])).isFalse();
    assertThat(kit.reader().isTyped(new byte[] {(byte) 0xff, (byte) 0xff})).isFalse();
  }

  @Test
  void schema_hasTheTypeOfTheReply() {
    assertThat(MessageKit.types(CountItems.class).schema())
        .isEqualTo("TypedRequestTest.CountItems(what:String,reply:Reply<Integer>,most:int)\n");
  }
}
