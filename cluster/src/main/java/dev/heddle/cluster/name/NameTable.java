// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.NameTakenException;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.Origin;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.process.Pid;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The names that processes of this node own, and the requests that change them; also the requests
/// that declare singletons, whose names they are.
final class NameTable {
  /*
   * Requests. Those of one name are carried out one after the other, those of different names at
   * the same time. A request becomes a command when its turn comes and the node holds a lease; the
   * command is sent again, unchanged, until its outcome is known or its admission is over: then it
   * has no effect any more, and the request becomes another command in the next admission.
   *
   * A caller that has given up is not told of an ownership. So an outcome that comes later is
   * undone by one more request, which goes first. The same when the lease is over by the time of
   * the outcome: the caller was not told, so nothing acts for the name yet.
   *
   * States of an ownership.
   *
   * from      event                              to        what follows
   * (none)    Registered, the lease is held      OWNED     the caller is told the token
   * OWNED     the program gives the name back    (none)    Unregister
   * OWNED     the lease is over; the node leaves ENDING    the process is asked to end, and
   *                                                        terminated 1/8 of a lease later
   * OWNED     the process has ended              (none)    Unregister, if the admission counts
   * ENDING    the process has ended              (none)    the same
   *
   * I1. A token is told only while the lease of its admission is held and its state is OWNED. The
   *     lease ends before the log gives the name away, ENDING included: 8 s + 1 s < 10.5 s.
   *     [NameSimulationTest]
   * I2. A name whose process is ENDING is given back only when that has ended. [NameSimulationTest]
   * I3. Of two processes of this node one owns a name at a time: a process asks for it when the
   *     last owner has ended, or has the name by the admission of now. [NameServiceTest]
   *
   * Threads. The agent, but for `token`.
   */
  private static final long RETRY_NANOS = 100_000_000;
  private static final int GRACE = 8; // of a lease

  private static final class Owned {
    final String name;
    final Pid pid;
    final long token;
    final long admission;
    volatile boolean isEnding; // written by the agent
    Runnable unwatch = () -> {};

    Owned(String name, Pid pid, long token, long admission) {
      this.name = name;
      this.pid = pid;
      this.token = token;
      this.admission = admission;
    }
  }

  private abstract static class Request {
    final String name;
    @Nullable Command command; // as it was sent
    long admission; // of the command
    long number;
    boolean isSent; // and not answered
    long retryAt;

    Request(String name) {
      this.name = name;
    }

    /// Fails it when its time is over, also while it waits for others.
    abstract void expire(long now);

    /// Whether there is anything left to do.
    abstract boolean isWanted(long now);

    /// Whether it has to wait.
    boolean isBlocked() {
      return false;
    }

    abstract Command command(Origin origin);

    abstract void done(Outcome outcome);
  }

  private final String node;
  private final long graceNanos;
  private final NodePort port;
  private final LogClient log;
  private final LeaseKeeper lease;
  private final NameService service;

  // the agent
  private final Map<String, Deque<Request>> requests = new HashMap<>();
  private final Map<String, Owned> owned = new ConcurrentHashMap<>(); // any thread reads it
  private long lastNumber;
  private String failure = "";
  private @Nullable CompletableFuture<@Nullable Void> leaving;

  NameTable(
      String node,
      long holdNanos,
      NodePort port,
      LogClient log,
      LeaseKeeper lease,
      NameService service) {
    this.node = node;
    this.graceNanos = holdNanos / GRACE;
    this.port = port;
    this.log = log;
    this.lease = lease;
    this.service = service;
  }

  /// The token by which a process of this node owns a name, if it may act for it now. Any thread.
  OptionalLong token(String name, long now) {
    Owned it = owned.get(name);
    return it != null && !it.isEnding && lease.isHeld(it.admission, now)
        ? OptionalLong.of(it.token)
        : OptionalLong.empty();
  }

  // ---- requests ----

  void register(String name, Pid pid, long deadline, CompletableFuture<Long> answer) {
    add(new Register(name, pid, deadline, answer));
  }

  void unregister(String name, long deadline, CompletableFuture<Boolean> answer) {
    add(new Unregister(name, deadline, answer));
  }

  void declare(SingletonSpec spec, long deadline, CompletableFuture<SingletonSpec> answer) {
    add(new Declare(spec, deadline, answer));
  }

  private void add(Request request) {
    requests.computeIfAbsent(request.name, _ -> new ArrayDeque<>()).add(request);
    advance(request.name);
  }

  private void addFirst(Request request) {
    requests.computeIfAbsent(request.name, _ -> new ArrayDeque<>()).addFirst(request);
    advance(request.name);
  }

  private void advance(String name) {
    Deque<Request> waiting = requests.get(name);
    while (waiting != null && !waiting.isEmpty()) {
      Request head = waiting.getFirst();
      if (progress(head, service.now())) {
        return;
      }
      waiting.remove(head);
    }
    requests.remove(name);
  }

  /// @return false when it is done
  private boolean progress(Request request, long now) {
    if (request.command != null && request.admission != lease.admission()) {
      request.command = null; // it has no effect any more
      request.isSent = false;
    }
    boolean isWanted = request.isWanted(now);
    if (request.command == null) {
      if (!isWanted) {
        return false;
      }
      long admission = lease.admission();
      if (request.isBlocked() || !lease.isHeld(admission, now)) {
        return true;
      }
      request.admission = admission;
      request.number = ++lastNumber;
      request.command =
          request.command(new Origin(node, admission, request.number, settled(request.number)));
    }
    if (!request.isSent && now - request.retryAt >= 0) {
      send(request, request.command, now);
    }
    return true;
  }

  private boolean isOpen(Request request) {
    Deque<Request> waiting = requests.get(request.name);
    return waiting != null && waiting.contains(request);
  }

  private long settled(long number) {
    long least = number;
    for (Deque<Request> waiting : requests.values()) {
      for (Request each : waiting) {
        boolean counts = each.command != null && each.admission == lease.admission();
        least = counts ? Math.min(least, each.number) : least;
      }
    }
    return least;
  }

  private void send(Request request, Command command, long now) {
    request.isSent = true;
    request.retryAt = now + RETRY_NANOS;
    log.submit(
        command,
        (outcome, why) -> {
          if (request.command == command && isOpen(request)) {
            answered(request, outcome, why);
          }
        });
  }

  private void answered(Request request, @Nullable Outcome outcome, String why) {
    request.isSent = false;
    if (outcome == null) {
      failure = why;
      return; // again at the next look
    }
    if (outcome instanceof Outcome.Refused) {
      request.command = null; // the admission is over
      request.admission = 0;
      return;
    }
    Deque<Request> waiting = requests.get(request.name);
    if (waiting != null) {
      waiting.remove(request);
    }
    request.done(outcome);
    advance(request.name);
  }

  private void expire(CompletableFuture<?> answer, long deadline, long now, String what) {
    if (now - deadline >= 0 && !answer.isDone()) {
      answer.completeExceptionally(service.noQuorum(what, failure));
    }
  }

  private final class Register extends Request {
    private final Pid pid;
    private final long deadline;
    private final CompletableFuture<Long> answer;

    Register(String name, Pid pid, long deadline, CompletableFuture<Long> answer) {
      super(name);
      this.pid = pid;
      this.deadline = deadline;
      this.answer = answer;
    }

    @Override
    void expire(long now) {
      NameTable.this.expire(answer, deadline, now, "name '" + name + "' is not registered");
    }

    @Override
    boolean isWanted(long now) {
      expire(now);
      return !answer.isDone();
    }

    /// Until the last owner here has ended: the log may have given the name away before that.
    @Override
    boolean isBlocked() {
      Owned last = owned.get(name);
      return last != null && (last.isEnding || last.admission != lease.admission());
    }

    @Override
    Command command(Origin origin) {
      return new Command.Register(origin, name, pid);
    }

    @Override
    void done(Outcome outcome) {
      switch (outcome) {
        case Outcome.Taken(Pid owner, _) ->
            answer.completeExceptionally(new NameTakenException(name, owner));
        case Outcome.Registered(long token) -> registered(token);
        default -> throw new IllegalStateException("a registration has led to " + outcome);
      }
    }

    private void registered(long token) {
      Owned known = owned.get(name);
      if (known != null && known.token == token) {
        if (known.isEnding) {
          answer.completeExceptionally(
              new NoQuorumException(
                  "name '%s' is not registered: %s ends, since the lease was over"
                      .formatted(name, pid)));
        } else {
          answer.complete(token);
        }
        return;
      }
      if (known != null && !known.isEnding) {
        end(known, "the log has given the name '%s' to another process".formatted(name), 0);
      }
      if (known != null || leaving != null || !lease.isHeld(admission, service.now())) {
        answer.completeExceptionally(service.noQuorum("name '" + name + "' is not registered", ""));
        addFirst(new GiveBack(name, token, admission));
        return;
      }
      Owned now = new Owned(name, pid, token, admission);
      owned.put(name, now);
      if (answer.complete(token)) {
        now.unwatch = port.watch(pid, () -> service.execute(() -> ended(now)));
      } else {
        owned.remove(name, now);
        addFirst(new GiveBack(name, token, admission));
      }
    }
  }

  private final class Unregister extends Request {
    private final long deadline;
    private final CompletableFuture<Boolean> answer;
    private @Nullable Owned mine;

    Unregister(String name, long deadline, CompletableFuture<Boolean> answer) {
      super(name);
      this.deadline = deadline;
      this.answer = answer;
    }

    @Override
    void expire(long now) {
      NameTable.this.expire(answer, deadline, now, "name '" + name + "' is not given back yet");
    }

    @Override
    boolean isWanted(long now) {
      if (mine == null) {
        Owned it = owned.get(name);
        if (it == null || it.isEnding) {
          answer.complete(it != null); // the end of the process gives it back
          return false;
        }
        mine = it;
        owned.remove(name, it);
        it.unwatch.run();
      }
      if (mine.admission != lease.admission()) {
        answer.complete(true); // it was given away with the admission
        return false;
      }
      return true; // also when nobody waits
    }

    @Override
    Command command(Origin origin) {
      return new Command.Unregister(
          origin, name, Objects.requireNonNull(mine, "it is wanted").token);
    }

    @Override
    void done(Outcome outcome) {
      answer.complete(true);
    }
  }

  private final class Declare extends Request {
    private final SingletonSpec spec;
    private final long deadline;
    private final CompletableFuture<SingletonSpec> answer;

    Declare(SingletonSpec spec, long deadline, CompletableFuture<SingletonSpec> answer) {
      super(spec.name());
      this.spec = spec;
      this.deadline = deadline;
      this.answer = answer;
    }

    @Override
    void expire(long now) {
      NameTable.this.expire(
          answer, deadline, now, "singleton '" + name + "' is not known to be declared");
    }

    @Override
    boolean isWanted(long now) {
      expire(now);
      return !answer.isDone();
    }

    @Override
    Command command(Origin origin) {
      return new Command.DeclareSingleton(origin, spec);
    }

    @Override
    void done(Outcome outcome) {
      if (!(outcome instanceof Outcome.Declared(SingletonSpec kept))) {
        throw new IllegalStateException("a declaration has led to " + outcome);
      }
      answer.complete(kept);
    }
  }

  /// Gives a name back of its own accord.
  private final class GiveBack extends Request {
    private final long token;
    private final long granted;

    GiveBack(String name, long token, long granted) {
      super(name);
      this.token = token;
      this.granted = granted;
    }

    @Override
    void expire(long now) {}

    @Override
    boolean isWanted(long now) {
      return granted == lease.admission();
    }

    @Override
    Command command(Origin origin) {
      return new Command.Unregister(origin, name, token);
    }

    @Override
    void done(Outcome outcome) {}
  }

  // ---- processes and the lease ----

  private void ended(Owned it) {
    boolean isKnown = owned.remove(it.name, it);
    if (isKnown && it.admission == lease.admission()) {
      addFirst(new GiveBack(it.name, it.token, it.admission));
    } else {
      advance(it.name); // a registration may wait for this end
    }
    checkLeft();
  }

  /// Whether there is nothing to do before the end of the lease.
  boolean isIdle() {
    return requests.isEmpty() && leaving == null;
  }

  /// Does what is due.
  void due(long now) {
    for (Owned it : owned.values()) {
      if (!it.isEnding && !lease.isHeld(it.admission, now)) {
        long grace = lease.graceLeft(it.admission, now, graceNanos);
        end(it, "the lease of node '%s' is over".formatted(node), grace);
      }
    }
    for (String name : List.copyOf(requests.keySet())) {
      requests.getOrDefault(name, new ArrayDeque<>()).forEach(request -> request.expire(now));
      advance(name);
    }
  }

  private void end(Owned it, String reason, long grace) {
    it.isEnding = true;
    port.cancel(it.pid, reason, grace);
  }

  /// Ends all processes that own names.
  ///
  /// @return completes when they have ended
  CompletableFuture<@Nullable Void> leave() {
    CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
    leaving = left;
    owned.values().stream()
        .filter(it -> !it.isEnding)
        .forEach(it -> end(it, "node '%s' leaves the cluster".formatted(node), graceNanos));
    checkLeft();
    return left;
  }

  private void checkLeft() {
    if (leaving != null && owned.isEmpty()) {
      leaving.complete(null);
    }
  }
}
