// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.links.ProcessLinks.Link;
import dev.heddle.process.scheduler.EventQueue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Something on its way. A message is put into an event when somebody looks at it: most steps look
/// once, and compilers leave that event out.
public class Envelope extends EventQueue.Node {
  // a message; in subclasses an event, or a signal
  final @Nullable Object content;

  public Envelope(@Nullable Object content) {
    this.content = content;
  }

  /// What a step sees of it.
  public ProcessEvent event() {
    return ProcessEvent.message(content);
  }

  /// Whether a process has sent it, or a program: no result of a command. A signal may be one.
  public boolean isMessage() {
    return true;
  }

  /// How many events a step sees of it.
  public int size() {
    return 1;
  }

  /// It lies in the mailbox at the end of its process.
  public void publishUnseen(Recipient in) {
    in.recordUndelivered(content, isMessage());
  }

  /// It is about to be seen.
  ///
  /// @return false when it is not to be
  public boolean isDeliverableTo(Recipient process) {
    return true;
  }

  /// A signal that comes before all that is not urgent.
  public static final class UrgentEnvelope extends Envelope {
    public UrgentEnvelope(ProcessSignal processSignal) {
      super(processSignal);
    }
  }

  /// The result of a command.
  public static final class ResultEnvelope extends Envelope {
    public ResultEnvelope(ProcessEvent event) {
      super(event);
    }

    @Override
    public boolean isMessage() {
      return false;
    }

    @Override
    public ProcessEvent event() {
      return Objects.requireNonNull((ProcessEvent) content);
    }

    @Override
    public boolean isDeliverableTo(Recipient process) {
      process.resultSeen(event().tag());
      return true;
    }
  }

  /// The signal of a link, which is not to be seen when that was undone.
  public static final class LinkEnvelope extends Envelope {
    private final Link link;

    public LinkEnvelope(Link link, ProcessSignal.LinkDown down) {
      super(down);
      this.link = link;
    }

    @Override
    public boolean isDeliverableTo(Recipient process) {
      return process.processLinks().consumeLink(link, process);
    }
  }

  /// The signal of a monitor, which is not to be seen when that was taken back. By this class, not
  /// by its data, it is told from a signal that somebody passes on as a message.
  public static final class MonitorEnvelope extends Envelope {
    public MonitorEnvelope(ProcessSignal.Down down) {
      super(down);
    }

    @Override
    public boolean isDeliverableTo(Recipient process) {
      return content instanceof ProcessSignal.Down down
          && process.processLinks().consumeMonitor(down.monitor());
    }
  }
}
