// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.RemoteFailure;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Failures and exits, between nodes.
@Tag("wire-10")
class FailuresTest {
  private static final Pid PID = new Pid("a", "heddle", 42, 7);

  record Done(int count) {}

  record Unknown() {}

  static final class Rude extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  private final MessageKit kit = MessageKit.of(Done.class);
  private final FrameCodec sender = new FrameCodec(FrameCodecTest.A, FrameCodecTest.B);
  private final FrameCodec receiver = new FrameCodec(FrameCodecTest.B, FrameCodecTest.A);

  private RemoteFailure sent(Throwable failure) throws MalformedPacketException {
    byte[] frame = sender.encode(new Frame.AskFailed(1, Failures.text(failure)));
    Packet packet =
        Packet.parse(
            TestPackets.write(1, FrameCodecTest.SESSION, 1, 0, 0, java.util.List.of(frame)));
    Frame.AskFailed failed = (Frame.AskFailed) receiver.decode(packet).getFirst();
    return Failures.of("a", failed.failure());
  }

  private Exit sent(Exit exit) {
    return Failures.exit(exit.pid(), Failures.text(exit, kit.writer()), kit.reader());
  }

  @Test
  void failure_arrivesAsTexts() throws Exception {
    Exception cause = new IllegalStateException("why", new RuntimeException("deeper"));
    RemoteFailure failure = sent(cause);
    assertThat(failure).hasMessage("on node 'a': java.lang.IllegalStateException: why");
    assertThat(failure.node()).isEqualTo("a");
    assertThat(failure.type()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.remoteMessage()).isEqualTo("why");
    assertThat(failure.remoteTrace())
        .contains("FailuresTest.failure_arrivesAsTexts")
        .contains("Caused by: java.lang.RuntimeException: deeper");
    assertThat(failure.getStackTrace()).isEmpty();
  }

  @Test
  void failure_prints_theTraceOfItsNode() throws Exception {
    StringWriter out = new StringWriter();
    sent(new IllegalStateException("why")).printStackTrace(new PrintWriter(out, true));
    assertThat(out.toString())
        .startsWith("dev.heddle.cluster.RemoteFailure: on node 'a'")
        .contains("\tat dev.heddle.cluster");
  }

  @Test
  void failure_withoutAMessage() throws Exception {
    RemoteFailure failure = sent(new IllegalStateException());
    assertThat(failure).hasMessage("on node 'a': java.lang.IllegalStateException");
    assertThat(failure.remoteMessage()).isNull();
  }

  @Test
  void failure_sentOn_keepsItsTexts() throws Exception {
    RemoteFailure first = sent(new IllegalStateException("why"));
    RemoteFailure second = sent(first);
    assertThat(second.type()).isEqualTo("java.lang.IllegalStateException");
    assertThat(second.remoteTrace()).isEqualTo(first.remoteTrace());
  }

  @Test
  void longTraceAndMessage_areCut() throws Exception {
    RemoteFailure failure = sent(new IllegalStateException("ä".repeat(100_000)));
    assertThat(failure.remoteMessage()).isEqualTo("ä".repeat(4096));
    assertThat(failure.remoteTrace().length()).isLessThanOrEqualTo(8192);
  }

  @Test
  void failure_whoseMethodsThrow_isSent() throws Exception {
    RemoteFailure failure = sent(new Rude());
    assertThat(failure.type()).endsWith("Rude");
    assertThat(failure.remoteMessage()).contains("IllegalStateException");
  }

  static final class Broken extends Exception {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new AssertionError();
    }
  }

  @Test
  void failure_whoseMethodsThrowErrors_isSent() throws Exception {
    RemoteFailure failure = sent(new Broken());
    assertThat(failure.type()).endsWith("Broken");
    assertThat(failure.remoteMessage()).contains("StackOverflowError");
    assertThat(failure.remoteTrace()).contains("AssertionError");
  }

  @Test
  void exit_keepsReasonResultAndDetail() {
    Exit exit = new Exit(PID, Exit.Reason.NORMAL, new Done(3), null, "detail");
    assertThat(sent(exit)).isEqualTo(exit);
  }

  @Test
  void exit_withAResultThatCannotBeSent_saysSo() {
    Exit sent = sent(new Exit(PID, Exit.Reason.NORMAL, new Unknown(), null));
    assertThat(sent.reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(sent.result()).isNull();
    assertThat(sent.cause())
        .isInstanceOf(RemoteFailure.class)
        .hasMessageContaining("NotSendableException")
        .hasMessageContaining("FailuresTest$Unknown");
  }

  @Test
  void exit_withADetailThatCannotBeSent_keepsItsCause() {
    Exit sent =
        sent(
            new Exit(
                PID, Exit.Reason.FAILED, null, new IllegalStateException("why"), new Unknown()));
    assertThat(sent.detail()).isNull();
    assertThat(sent.cause()).hasMessageContaining("why");
    assertThat(((RemoteFailure) sent.cause()).remoteTrace())
        .startsWith("the detail of the process cannot be sent: Unknown is a");
  }

  @Test
  void exit_withAResultThatIsUnknownHere_saysSo() {
    MessageReader other =
        new MessageReader(
            MessageKit.types(), FrameCodecTest.A, MessageKit.types(Done.class).signatures());
    Frame.ExitText text =
        Failures.text(new Exit(PID, Exit.Reason.NORMAL, new Done(1), null), kit.writer());
    Exit sent = Failures.exit(PID, text, other);
    assertThat(sent.result()).isNull();
    assertThat(sent.cause())
        .isInstanceOf(UndecodableMessageException.class)
        .hasMessageContaining("FailuresTest.Done");
  }
}
