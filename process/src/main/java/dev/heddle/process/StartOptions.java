// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How a process is started. A value: each `with…` makes another one.
///
/// @param method the entry point
/// @param input what `init` is given
/// @param name it is registered under, for as long as it lives; when another process has it, that
///   one is given to whoever starts this one, which is not started
/// @param parent in place of the process that starts it
/// @param link whether it is linked to its parent
/// @param monitor whether its parent monitors it
/// @param mailbox how many messages may wait, at least 1; `Integer.MAX_VALUE` is no bound, and the
///   cheapest for floods; signals and results have no bound
/// @param policy for a message that finds the mailbox full
/// @param priority among those that are to be stepped
/// @param attributes what it and those that it starts find in their contexts
/// @since 0.1
public record StartOptions(
    String method,
    @Nullable Object input,
    @Nullable String name,
    @Nullable Pid parent,
    boolean link,
    boolean monitor,
    int mailbox,
    MailboxPolicy policy,
    Priority priority,
    Map<String, Object> attributes) {

  /// Messages that may wait where nothing else is said: some megabytes of small ones.
  public static final int MAILBOX = 100_000;

  /// The entry point `run`, no input, no name, no ties, [#MAILBOX] messages, refused above that.
  public static final StartOptions DEFAULT =
      new StartOptions(
          Process.RUN,
          null,
          null,
          null,
          false,
          false,
          MAILBOX,
          MailboxPolicy.REJECT,
          Priority.NORMAL,
          Map.of());

  /// Checks the values.
  ///
  /// @throws IllegalArgumentException when the mailbox holds nothing, or the name is empty
  public StartOptions {
    Objects.requireNonNull(method, "method");
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(priority, "priority");
    attributes = Map.copyOf(attributes);
    if (mailbox < 1) {
      throw new IllegalArgumentException("a mailbox holds at least one message: " + mailbox);
    }
    if (name != null && name.isEmpty()) {
      throw new IllegalArgumentException(
          "a name has at least one character; leave it out for none");
    }
  }

  /// The same with another entry point.
  public StartOptions withMethod(String changed) {
    return new StartOptions(
        changed, input, name, parent, link, monitor, mailbox, policy, priority, attributes);
  }

  /// The same with an input.
  public StartOptions withInput(@Nullable Object changed) {
    return new StartOptions(
        method, changed, name, parent, link, monitor, mailbox, policy, priority, attributes);
  }

  /// The same with a name.
  public StartOptions withName(@Nullable String changed) {
    return new StartOptions(
        method, input, changed, parent, link, monitor, mailbox, policy, priority, attributes);
  }

  /// The same with a parent.
  public StartOptions withParent(@Nullable Pid changed) {
    return new StartOptions(
        method, input, name, changed, link, monitor, mailbox, policy, priority, attributes);
  }

  /// The same, linked to its parent or not.
  public StartOptions withLink(boolean changed) {
    return new StartOptions(
        method, input, name, parent, changed, monitor, mailbox, policy, priority, attributes);
  }

  /// The same, monitored by its parent or not.
  public StartOptions withMonitor(boolean changed) {
    return new StartOptions(
        method, input, name, parent, link, changed, mailbox, policy, priority, attributes);
  }

  /// The same with another bound of the mailbox, and what happens there.
  public StartOptions withMailbox(int messages, MailboxPolicy whenFull) {
    return new StartOptions(
        method, input, name, parent, link, monitor, messages, whenFull, priority, attributes);
  }

  /// The same with another priority.
  public StartOptions withPriority(Priority changed) {
    return new StartOptions(
        method, input, name, parent, link, monitor, mailbox, policy, changed, attributes);
  }

  /// The same with other attributes.
  public StartOptions withAttributes(Map<String, Object> changed) {
    return new StartOptions(
        method, input, name, parent, link, monitor, mailbox, policy, priority, changed);
  }
}
