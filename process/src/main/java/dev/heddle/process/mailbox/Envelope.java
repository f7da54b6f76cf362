// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.links.ProcessLinks.Link;
import dev.heddle.process.scheduler.Node;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A message, signal or result in a mailbox. A message becomes an event only when it is read: most
/// steps read it once, and compilers then remove that event.
public class Envelope extends Node {
  // a message; in subclasses an event, or a signal
  final @Nullable Object content;

  public Envelope(@Nullable Object content) {
    this.content = content;
  }

  public ProcessEvent event() {
    return ProcessEvent.message(content);
  }

  @Override
  public @Nullable Object payload() {
    return content;
  }

  /// Whether it is a message or a signal, and not the result of a command.
  public boolean isMessage() {
    return true;
  }

  public int size() {
    return 1;
  }

  /// Records it as left in the mailbox at the end of its process.
  public void publishUnseen(Recipient in) {
    in.recordUndelivered(content, isMessage());
  }

  /// Called before it is delivered.
  ///
  /// @return false when it must not be delivered
  public boolean isDeliverableTo(Recipient process) {
    return true;
  }

  /// A message, with or without a number.
  ///
  /// @param number 0: none
  public static Envelope of(@Nullable Object message, int number) {
    return number == 0 ? new Envelope(message) : new NumberedEnvelope(message, number);
  }

  /// A message while each is recorded.
  private static final class NumberedEnvelope extends Envelope {
    private final int number;

    NumberedEnvelope(@Nullable Object message, int number) {
      super(message);
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /// A signal that is delivered before all that is not urgent.
  public static final class UrgentEnvelope extends Envelope {
    public UrgentEnvelope(ProcessSignal processSignal) {
      super(processSignal);
    }
  }

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

  /// The signal of a link; not delivered after the link was removed.
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

  /// The signal of a monitor; not delivered after the monitor was removed. The class, not the data,
  /// tells it from a signal that a process forwards as a message.
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

  /// Consecutive messages of a burst.
  static final class MessageSlice extends Envelope {
    private final @Nullable Object[] items;
    private final int until;
    private int from; // advances when its process has ended

    MessageSlice(@Nullable Object[] items, int from, int until) {
      super(null);
      this.items = items;
      this.from = from;
      this.until = until;
    }

    @Override
    public int size() {
      return until - from;
    }

    @Override
    public ProcessEvent event() {
      return event(0);
    }

    /// All but the first ones.
    Envelope without(int first) {
      return new MessageSlice(items, from + first, until);
    }

    /// The event of one of them, counted from 0.
    ProcessEvent event(int index) {
      return ProcessEvent.message(items[from + index]);
    }

    @Override
    public void publishUnseen(Recipient in) {
      for (; from < until; from++) {
        in.recordUndelivered(items[from], true);
      }
    }
  }
}
