// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How a process is started. A value: each `with…` makes another one, [#defaults()] is the first.
///
/// @since 0.1
public final class StartOptions {
  /// Messages that may wait where nothing else is said: some megabytes of small ones.
  public static final int DEFAULT_MAILBOX = 100_000;

  /// How long a process that ends with its parent may clean up where nothing else is said.
  public static final Duration DEFAULT_SHUTDOWN = Duration.ofSeconds(5);

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

  /// What becomes options.
  private static final class Draft {
    String entryPoint = Process.RUN;
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

  /// The entry point `run`, no input, no name, no ties, [#DEFAULT_MAILBOX] messages, refused above
  /// that.
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

  // ---- what is said ----

  /// The entry point.
  public String entryPoint() {
    return entryPoint;
  }

  /// What `init` is given.
  public @Nullable Object input() {
    return input;
  }

  /// What it is registered under, for as long as it lives; when another process has the name, that
  /// one is given to whoever starts this one, which is not started.
  public @Nullable String name() {
    return name;
  }

  /// The parent, in place of the process that starts it.
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

  /// Whether it ends with its parent; null when the runtime says.
  public @Nullable Lifetime lifetime() {
    return lifetime;
  }

  /// How long it may clean up when it ends with its parent.
  public Duration shutdown() {
    return shutdown;
  }

  /// How many messages may wait, at least 1; signals and results have no bound.
  public int mailbox() {
    return mailbox;
  }

  /// What becomes of a message that finds the mailbox full.
  public MailboxPolicy policy() {
    return policy;
  }

  /// Its priority among those that are to be stepped.
  public Priority priority() {
    return priority;
  }

  /// What it and those that it starts find in their contexts.
  public Map<String, Object> attributes() {
    return attributes;
  }

  // ---- saying it ----

  /// The same with another entry point.
  public StartOptions withEntryPoint(String changed) {
    Draft made = new Draft(this);
    made.entryPoint = Objects.requireNonNull(changed, "method");
    return new StartOptions(made);
  }

  /// The same with an input.
  public StartOptions withInput(@Nullable Object changed) {
    Draft made = new Draft(this);
    made.input = changed;
    return new StartOptions(made);
  }

  /// The same with a name.
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

  /// The same with a parent.
  public StartOptions withParent(@Nullable Pid changed) {
    Draft made = new Draft(this);
    made.parent = changed;
    return new StartOptions(made);
  }

  /// The same, linked to its parent.
  public StartOptions linked() {
    Draft made = new Draft(this);
    made.link = true;
    return new StartOptions(made);
  }

  /// The same, monitored by its parent.
  public StartOptions monitored() {
    Draft made = new Draft(this);
    made.monitor = true;
    return new StartOptions(made);
  }

  /// The same with another lifetime. A start [Lifetime#WITH_PARENT] needs a parent that lives, and
  /// fails with a [StartRefusedException] without one.
  ///
  /// All children of a parent that has ended are asked at the same time, and have their own
  /// children asked when they have ended. Where an order matters, or a child is to be started
  /// again, there are supervisors.
  ///
  /// @param changed null when the runtime is to say, see
  ///   [ProcessRuntimeBuilder#childLifetime(Lifetime)]
  public StartOptions withLifetime(@Nullable Lifetime changed) {
    Draft made = new Draft(this);
    made.lifetime = changed;
    return new StartOptions(made);
  }

  /// The same with another time to clean up when it ends with its parent. It is ended after that.
  /// Of a supervisor's child that time is said to the supervisor, which refuses options that have
  /// one: [dev.heddle.process.supervisor.ChildSpec#withShutdown(Duration)].
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

  /// The same with another bound of the mailbox, and what happens there.
  ///
  /// @throws IllegalArgumentException when it holds nothing
  public StartOptions withMailbox(int messages, MailboxPolicy whenFull) {
    if (messages < 1) {
      throw new IllegalArgumentException("a mailbox holds at least one message: " + messages);
    }
    Draft made = new Draft(this);
    made.mailbox = messages;
    made.policy = Objects.requireNonNull(whenFull, "policy");
    return new StartOptions(made);
  }

  /// The same with another priority.
  public StartOptions withPriority(Priority changed) {
    Draft made = new Draft(this);
    made.priority = Objects.requireNonNull(changed, "priority");
    return new StartOptions(made);
  }

  /// The same with other attributes.
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
    values.put("method", entryPoint);
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
