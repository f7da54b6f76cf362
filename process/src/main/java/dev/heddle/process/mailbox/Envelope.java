// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Signal;
import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.topology.Ties.Link;
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
  public void leaveUnseen(Recipient in) {
    in.leftUnseen(content, isMessage());
  }

  /// It is about to be seen.
  ///
  /// @return false when it is not to be
  public boolean admittedTo(Recipient process) {
    return true;
  }

  /// A signal that comes before all that is not urgent.
  public static final class Urgent extends Envelope {
    public Urgent(Signal signal) {
      super(signal);
    }
  }

  /// The result of a command.
  public static final class OfResult extends Envelope {
    public OfResult(ProcessEvent event) {
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
    public boolean admittedTo(Recipient process) {
      process.resultSeen(event().tag());
      return true;
    }
  }

  /// The signal of a link, which is not to be seen when that was undone.
  public static final class OfLink extends Envelope {
    private final Link link;

    public OfLink(Link link, Signal.LinkDown down) {
      super(down);
      this.link = link;
    }

    @Override
    public boolean admittedTo(Recipient process) {
      return process.ties().takeLink(link, process);
    }
  }

  /// The signal of a monitor, which is not to be seen when that was taken back. By this class, not
  /// by its data, it is told from a signal that somebody passes on as a message.
  public static final class OfMonitor extends Envelope {
    public OfMonitor(Signal.Down down) {
      super(down);
    }

    @Override
    public boolean admittedTo(Recipient process) {
      return content instanceof Signal.Down down && process.ties().takeMonitor(down.monitor());
    }
  }
}
