// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.DeadlineException;
import dev.heddle.event.Deadline;
import dev.heddle.thread.RemotePromise;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The pending look-ups of a loop: one for each question, shared by all its waiters.
final class Lookups {
  /*
   * States of a look-up.
   *   from      event                              to        order
   *   new       the cache has the answer           ENDED
   *   new       a server has room                  ASKED     it takes the room, the query begins
   *   new       no server has room                 WAITING   last in the queue; its time begins
   *   WAITING   a server of its own gets room      ASKED     the first that may ask this server
   *   WAITING   its time is over                   as new    one attempt is used up
   *   ASKED     the server has answered            ENDED     the room is free; the cache has it
   *   ASKED     silence, a failure, an alias       as new    the room is free, first for the queue
   *   as new    no attempt is left                 ENDED     with a failure
   *   WAITING, ASKED   the last waiter leaves      ENDED     its query is closed, the room is free
   *
   * Sharing. A look-up belongs to no coroutine. Coroutines join and leave it; the last one to leave
   * ends it. So a cancelled waiter does not affect the others, and a question without waiters
   * leaves nothing open. No coroutine drives it: the answer to one query starts the next, on the
   * event loop.
   *
   * Capacity. Each query has its own socket, and a silent server holds it for the time of an
   * attempt. Without a limit, a program with many look-ups at such a server would use up its
   * descriptors. So a loop sends at most MAX_QUERIES_PER_SERVER queries at a time to one server.
   * Capacity is counted per server: a full server is skipped for another one in the list, so a dead
   * server delays no look-up that may ask a live one. If all are full, a look-up waits for the time
   * of one attempt at most.
   *
   * I1. The capacity taken at a server equals the number of its pending queries. [NamesEndTest]
   * I2. No look-up waits while a server that it may ask has capacity. [NamesEndTest]
   *
   * Threads. The carrier: coroutines join, wait and leave; the event loop delivers the responses.
   *
   * Rejected. A coroutine for each look-up: clean-up code of a cancelled coroutine may look up a
   * name, and members of a cancelled scope would not run. The first waiter as the driver: the next
   * one would have to take over when it is cancelled.
   */
  static final int MAX_QUERIES_PER_SERVER = 64; // with three servers, 192 of usually 1,024

  /// The answer of a look-up that was still pending when the patience for it ended.
  static final Answer LATE = new Answer.Failed("has not been answered in time", true);

  private static final int MAX_ALIAS_HOPS = 8; // successive responses with only an alias

  private final AnswerCache cache;

  // loop only
  private final Map<Question, Lookup> inFlight = new HashMap<>();
  // number of pending queries by server
  private final Map<InetSocketAddress, Integer> out = new HashMap<>();
  private final Set<Lookup> waiting = new LinkedHashSet<>();
  private boolean admitting;
  private int nextServer; // index, if servers rotate

  Lookups(AnswerCache cache) {
    this.cache = cache;
  }

  /// Joins the look-up of a question, starting it unless it is pending. The caller must leave it.
  /// Called in a coroutine.
  Lookup join(Question question, Queries with, ResolvConf by) {
    Lookup known = inFlight.get(question);
    if (known == null || known.with != with) {
      known = new Lookup(question, with, by);
      if (known.isOpen()) {
        inFlight.put(question, known);
        known.ask();
      }
    }
    known.joined++;
    return known;
  }

  /// Waits until all look-ups have an answer, or until `patience` has passed after one has found
  /// records: the answer of the others is then [#LATE]. Called in a coroutine.
  static List<Answer> awaitAll(List<Lookup> lookups, Duration patience) {
    Deadline deadline = Deadline.never();
    boolean inTime = true;
    while (inTime && lookups.stream().anyMatch(Lookup::isOpen)) {
      if (deadline.isNever() && lookups.stream().anyMatch(l -> l.answer instanceof Answer.Found)) {
        deadline = Deadline.after(patience);
      }
      inTime = awaitOne(lookups.stream().filter(Lookup::isOpen).toList(), deadline);
    }
    return lookups.stream().map(lookup -> lookup.isOpen() ? LATE : lookup.answer()).toList();
  }

  /// Waits for one of the look-ups; returns false at the deadline.
  private static boolean awaitOne(List<Lookup> open, Deadline deadline) {
    RemotePromise<Boolean> ended = new RemotePromise<>("the answer to " + open);
    open.forEach(lookup -> lookup.waiters.add(ended));
    try {
      return ended.future().await(deadline);
    } catch (DeadlineException e) {
      return false;
    } finally {
      open.forEach(lookup -> lookup.waiters.remove(ended));
    }
  }

  private boolean hasRoom(InetSocketAddress server) {
    return out.getOrDefault(server, 0) < MAX_QUERIES_PER_SERVER;
  }

  /// Assigns free capacity to waiting look-ups, in their order.
  private void admit() {
    if (admitting) {
      return; // recursive call: a query that fails at once frees its capacity
    }
    admitting = true;
    try {
      for (Lookup next = nextToAdmit(); next != null; next = nextToAdmit()) {
        next.stopWaiting();
        next.ask();
      }
    } finally {
      admitting = false;
    }
  }

  private @Nullable Lookup nextToAdmit() {
    return waiting.stream()
        .filter(lookup -> lookup.serverWithRoom() != null)
        .findFirst()
        .orElse(null);
  }

  /// A pending question: queries are sent until one gives an answer or no attempt is left.
  final class Lookup {
    private final Question question;
    private final Queries with;
    private final ResolvConf by;
    private final int first; // index of the first server
    private final Set<InetSocketAddress> unknowingServers = new HashSet<>();
    private final Set<String> reasons = new LinkedHashSet<>();
    private final List<RemotePromise<Boolean>> waiters = new ArrayList<>(); // resumed at its end
    private int joined;
    private Question asked; // differs from the question if its name is an alias
    private long ttl = Long.MAX_VALUE; // minimum over the aliases so far
    private int aliasHops;
    private int attempt;
    private Queries.@Nullable Query query; // while one is pending
    private @Nullable Future<?> limit; // while it waits for capacity
    private @Nullable Answer answer;

    private Lookup(Question question, Queries with, ResolvConf by) {
      this.question = question;
      this.with = with;
      this.by = by;
      this.asked = question;
      this.answer = cache.get(question);
      this.first = by.rotate() && answer == null ? nextServer++ : 0;
    }

    private boolean isOpen() {
      return answer == null;
    }

    /// The answer from the cache or the servers. Never an alias.
    Answer answer() {
      return Objects.requireNonNull(answer);
    }

    /// Ends the caller's interest in it.
    void leave() {
      joined--;
      if (joined == 0 && isOpen()) {
        end(new Answer.Failed("no waiter is left", false));
        stopWaiting();
        Queries.Query gone = query;
        if (gone != null) {
          gone.close();
          free(gone);
        }
      }
    }

    /// Queries the next usable server that has capacity.
    private void ask() {
      int most = by.attempts() * by.servers().size();
      while (attempt < most && unknowingServers.contains(server(attempt))) {
        attempt++;
      }
      if (attempt == most) {
        end(new Answer.Failed(String.join("; ", reasons), false));
        return;
      }
      InetSocketAddress server = serverWithRoom();
      if (server == null) {
        waitForRoom();
        return;
      }
      out.merge(server, 1, Integer::sum);
      Queries.Query begun = with.ask(server, asked);
      query = begun;
      begun.whenAnswered(said -> take(begun, said));
    }

    private InetSocketAddress server(int of) {
      return by.servers().get(Math.floorMod(first + of, by.servers().size()));
    }

    /// The next server in order that has capacity, or null.
    private @Nullable InetSocketAddress serverWithRoom() {
      return IntStream.range(0, by.servers().size())
          .mapToObj(i -> server(attempt + i))
          .filter(server -> !unknowingServers.contains(server) && hasRoom(server))
          .findFirst()
          .orElse(null);
    }

    private void waitForRoom() {
      waiting.add(this);
      try {
        limit =
            with.loop().schedule(this::giveUpRoom, by.timeout().toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        waiting.remove(this);
        end(new Answer.Failed("was not asked: " + e.getMessage(), false));
      }
    }

    private void giveUpRoom() {
      if (waiting.remove(this)) {
        reasons.add(
            "the name servers had no capacity for another query within %d s: at %d queries each"
                    .formatted(by.timeout().toSeconds(), MAX_QUERIES_PER_SERVER)
                + " they are silent");
        attempt++;
        ask();
      }
    }

    private void stopWaiting() {
      waiting.remove(this);
      if (limit != null) {
        limit.cancel(false);
        limit = null;
      }
    }

    private void take(Queries.Query from, Answer said) {
      if (query != from) {
        return; // its last waiter has left
      }
      if (said instanceof Answer.Found || said instanceof Answer.None) {
        Answer whole = shortened(said, ttl);
        cache.put(question, whole);
        end(whole);
      }
      free(from);
      switch (said) {
        case Answer.Failed failed -> tryNextServer(from.server(), failed);
        case Answer.Alias alias -> follow(alias);
        case Answer.Found _, Answer.None _ -> {}
      }
    }

    private void free(Queries.Query gone) {
      query = null;
      out.computeIfPresent(gone.server(), (_, count) -> count == 1 ? null : count - 1);
      admit();
    }

    private void tryNextServer(InetSocketAddress server, Answer.Failed failed) {
      reasons.add("the name server " + server + " " + failed.why());
      if (!failed.again()) {
        unknowingServers.add(server);
      }
      attempt++;
      ask();
    }

    private void follow(Answer.Alias alias) {
      aliasHops++;
      ttl = Math.min(ttl, alias.ttl());
      asked = new Question(alias.target(), question.type());
      attempt = 0;
      if (aliasHops == MAX_ALIAS_HOPS) {
        end(new Answer.Failed("it is an alias of too many names", false));
      } else {
        ask();
      }
    }

    private void end(Answer with) {
      answer = with;
      inFlight.remove(question, this);
      waiters.forEach(waiter -> waiter.tryComplete(true));
    }

    @Override
    public String toString() {
      return question.toString();
    }
  }

  private static Answer shortened(Answer answer, long ttl) {
    return switch (answer) {
      case Answer.Found found -> new Answer.Found(found.values(), Math.min(found.ttl(), ttl));
      case Answer.None none -> new Answer.None(none.why(), Math.min(none.ttl(), ttl));
      case Answer.Alias _, Answer.Failed _ -> answer;
    };
  }
}
