// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How a process is started. Immutable: each `with…` returns a changed copy of [#defaults()] or of
/// another value.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=options}
///
/// @since 0.1
public final class StartOptions {
  /// The default capacity of a mailbox, in messages: some megabytes of small ones.
  public static final int DEFAULT_MAILBOX = 100_000;

  /// The default time to clean up for a process that ends with its parent.
  public static final Duration DEFAULT_SHUTDOWN = Duration.ofSeconds(5);

  /// The default entry point.
  static final String RUN = "run";

  private static final StartOptions DEFAULT = new StartOptions(new Draft());

  private final String entryPoint;
  private final @Nullable Object input;
  private final @Nullable String name;
  private final @Nullable Pid parent;
  private final boolean linked;
  private final boolean monitored;
  private final @Nullable Lifetime lifetime;
  private final Duration shutdown;
  private final int mailbox;
  private final MailboxPolicy policy;
  private final Priority priority;
  private final Map<String, Object> attributes;

  /// The mutable copy from which options are made.
  private static final class Draft {
    String entryPoint = RUN;
    @Nullable Object input;
    @Nullable String name;
    @Nullable Pid parent;
    boolean link;
    boolean monitor;
    @Nullable Lifetime lifetime;
    Duration shutdown = DEFAULT_SHUTDOWN;
    int mailbox = DEFAULT_MAILBOX;
    MailboxPolicy policy = MailboxPolicy.REJECT;
    Priority priority = Priority.NORMAL;
    Map<String, Object> attributes = Map.of();

    Draft() {}

    Draft(StartOptions of) {
      this.entryPoint = of.entryPoint;
      this.input = of.input;
      this.name = of.name;
      this.parent = of.parent;
      this.link = of.linked;
      this.monitor = of.monitored;
      this.lifetime = of.lifetime;
      this.shutdown = of.shutdown;
      this.mailbox = of.mailbox;
      this.policy = of.policy;
      this.priority = of.priority;
      this.attributes = of.attributes;
    }
  }

  /// The entry point `run`, no input, no name, no link, no monitor, a mailbox of [#DEFAULT_MAILBOX]
  /// messages that rejects further ones.
  public static StartOptions defaults() {
    return DEFAULT;
  }

  private StartOptions(Draft of) {
    this.entryPoint = of.entryPoint;
    this.input = of.input;
    this.name = of.name;
    this.parent = of.parent;
    this.linked = of.link;
    this.monitored = of.monitor;
    this.lifetime = of.lifetime;
    this.shutdown = of.shutdown;
    this.mailbox = of.mailbox;
    this.policy = of.policy;
    this.priority = of.priority;
    this.attributes = of.attributes;
  }

  // ---- the values ----

  /// The entry point.
  public String entryPoint() {
    return entryPoint;
  }

  /// The input for `init`.
  public @Nullable Object input() {
    return input;
  }

  /// The name it is registered under while it is alive. When another process has the name, this
  /// process is not started, and the caller gets the other's PID.
  public @Nullable String name() {
    return name;
  }

  /// The parent, in place of the process that calls `spawn`.
  public @Nullable Pid parent() {
    return parent;
  }

  /// Whether it is linked to its parent.
  public boolean isLinked() {
    return linked;
  }

  /// Whether its parent monitors it.
  public boolean isMonitored() {
    return monitored;
  }

  /// Whether it ends with its parent; null for the default of the runtime.
  public @Nullable Lifetime lifetime() {
    return lifetime;
  }

  /// The time to clean up when it ends with its parent.
  public Duration shutdown() {
    return shutdown;
  }

  /// The capacity of the mailbox in messages, at least 1; signals and results are not limited.
  public int mailbox() {
    return mailbox;
  }

  /// What happens to a message for a full mailbox.
  public MailboxPolicy policy() {
    return policy;
  }

  /// The scheduling priority.
  public Priority priority() {
    return priority;
  }

  /// The attributes that it, and the processes it starts, find in their contexts.
  public Map<String, Object> attributes() {
    return attributes;
  }

  // ---- changed copies ----

  /// Returns a copy with another entry point.
  public StartOptions withEntryPoint(String changed) {
    Draft made = new Draft(this);
    made.entryPoint = Objects.requireNonNull(changed, "entryPoint");
    return new StartOptions(made);
  }

  /// Returns a copy with an input.
  public StartOptions withInput(@Nullable Object changed) {
    Draft made = new Draft(this);
    made.input = changed;
    return new StartOptions(made);
  }

  /// Returns a copy with a name.
  ///
  /// @throws IllegalArgumentException when it is empty
  public StartOptions withName(@Nullable String changed) {
    if (changed != null && changed.isEmpty()) {
      throw new IllegalArgumentException(
          "a name has at least one character; leave it out for none");
    }
    Draft made = new Draft(this);
    made.name = changed;
    return new StartOptions(made);
  }

  /// Returns a copy with a parent.
  public StartOptions withParent(@Nullable Pid changed) {
    Draft made = new Draft(this);
    made.parent = changed;
    return new StartOptions(made);
  }

  /// Returns a copy that links the process to its parent.
  public StartOptions linked() {
    Draft made = new Draft(this);
    made.link = true;
    return new StartOptions(made);
  }

  /// Returns a copy that lets the parent monitor the process.
  public StartOptions monitored() {
    Draft made = new Draft(this);
    made.monitor = true;
    return new StartOptions(made);
  }

  /// Returns a copy with another lifetime. A start with [Lifetime#WITH_PARENT] needs a parent that
  /// is alive; without one it fails with a [StartRefusedException].
  ///
  /// When a parent has ended, all its children are cancelled at the same time; their own children
  /// follow when they have ended. Use a supervisor where the order matters or a child is to be
  /// restarted.
  ///
  /// @param changed null for the default of the runtime,
  ///   [ProcessRuntimeBuilder#childLifetime(Lifetime)]
  public StartOptions withLifetime(@Nullable Lifetime changed) {
    Draft made = new Draft(this);
    made.lifetime = changed;
    return new StartOptions(made);
  }

  /// Returns a copy with another time to clean up when the process ends with its parent; it is
  /// terminated after that. For a supervisor's child, set the time in the supervisor, which refuses
  /// options that have one: [dev.heddle.process.supervisor.ChildSpec#withShutdown(Duration)].
  ///
  /// @throws IllegalArgumentException when the time is negative
  public StartOptions withShutdown(Duration changed) {
    if (changed.isNegative()) {
      throw new IllegalArgumentException("a time to clean up is not negative: " + changed);
    }
    Draft made = new Draft(this);
    made.shutdown = changed;
    return new StartOptions(made);
  }

  /// Returns a copy with another mailbox capacity, and what happens to messages above it.
  ///
  /// @throws IllegalArgumentException when the capacity is below 1
  public StartOptions withMailbox(int messages, MailboxPolicy whenFull) {
    if (messages < 1) {
      throw new IllegalArgumentException("a mailbox holds at least one message: " + messages);
    }
    Draft made = new Draft(this);
    made.mailbox = messages;
    made.policy = Objects.requireNonNull(whenFull, "policy");
    return new StartOptions(made);
  }

  /// Returns a copy with another priority.
  public StartOptions withPriority(Priority changed) {
    Draft made = new Draft(this);
    made.priority = Objects.requireNonNull(changed, "priority");
    return new StartOptions(made);
  }

  /// Returns a copy with other attributes.
  public StartOptions withAttributes(Map<String, Object> changed) {
    Draft made = new Draft(this);
    made.attributes = Map.copyOf(changed);
    return new StartOptions(made);
  }

  // ---- as a value ----

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof StartOptions other && values().equals(other.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "StartOptions" + values();
  }

  private Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("entryPoint", entryPoint);
    put(values, "input", input);
    put(values, "name", name);
    put(values, "parent", parent);
    values.put("link", linked);
    values.put("monitor", monitored);
    put(values, "lifetime", lifetime);
    values.put("shutdown", shutdown);
    values.put("mailbox", mailbox);
    values.put("policy", policy);
    values.put("priority", priority);
    values.put("attributes", attributes);
    return values;
  }

  private static void put(Map<String, Object> values, String key, @Nullable Object value) {
    if (value != null) {
      values.put(key, value);
    }
  }
}
