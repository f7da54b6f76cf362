// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.event.Awaitable;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.LockOwners;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Which coroutines wait for which things, and which hold those: read once, in pieces, when an
/// observer asks.
///
/// A thing is listed when coroutines hold it, or when it is of `dev.heddle.sync` or of the JDK: a
/// timer that one coroutine waits for says nothing about others. Of those that wait for a thing, or
/// hold it, all are counted. Named are those through which a chain goes on, and a few of the rest.
///
/// **Thread** read(), readOwner() and row() the loop's; all else that of the session.
final class WaitEdges {
  private static final String SYNC = "dev.heddle.sync.";
  private static final int MAX_THINGS = 3_000;
  private static final int MAX_ENDS = 20; // named, of those at which a chain ends
  private static final int MAX_ON = 500; // named, of those through which it goes on
  private static final int MAX_HOLDERS = 10_000; // read of one thing

  /// What is waited for.
  private static final class Thing {
    final String what;
    final List<CoroutineNode<?>> holders = new ArrayList<>();
    final List<CoroutineNode<?>> waiters = new ArrayList<>();
    final @Nullable Thread owner;

    Thing(String what, @Nullable Thread owner) {
      this.what = what;
      this.owner = owner;
    }
  }

  private final IdentityHashMap<Object, Thing> things = new IdentityHashMap<>();
  private final Set<Long> owners = new LinkedHashSet<>(); // threads that are to be found
  private final Map<Long, CoroutineNode<?>> found = new HashMap<>(); // by their threads
  // whose waits something may end that is no thing here: a time limit, a token, another event
  private final Set<CoroutineNode<?>> mayEnd = new HashSet<>();
  private int left; // things that were not taken in

  // ---- what the loop reads ----

  void read(CoroutineNode<?> c) {
    ExecutionContext context = c.context();
    if (c.isDone() || context == null) {
      return;
    }
    if (c.status() == WakerStatus.WAITING) {
      for (EventSource event : c.awaitedEvents()) {
        Thing thing = thing(event);
        if (thing != null) {
          thing.waiters.add(c);
        } else {
          mayEnd.add(c);
        }
      }
    } else if (c.status() == WakerStatus.NO_STATUS && context.isParked()) {
      readParked(c, context.thread());
    }
  }

  private void readParked(CoroutineNode<?> c, Thread thread) {
    Object parkedFor = LockSupport.getBlocker(thread);
    if (parkedFor == null) {
      return;
    }
    Thing known = things.get(parkedFor);
    if (known == null && hasSpace()) {
      Thread owner = LockOwners.ownerOf(parkedFor);
      String hash = Integer.toHexString(System.identityHashCode(parkedFor));
      known = new Thing(parkedFor.getClass().getName() + "@" + hash, owner);
      things.put(parkedFor, known);
      if (owner != null) {
        owners.add(owner.threadId());
      }
    }
    if (known != null) {
      known.waiters.add(c);
    }
    if (thread.getState() == Thread.State.TIMED_WAITING) {
      mayEnd.add(c);
    }
  }

  private @Nullable Thing thing(EventSource event) {
    Object awaited = event.awaited();
    Thing known = things.get(awaited);
    if (known != null) {
      return known;
    }
    List<CoroutineNode<?>> holders = holders(event);
    boolean isShared = event.kind().getName().startsWith(SYNC);
    if ((holders.isEmpty() && !isShared) || !hasSpace()) {
      return null;
    }
    Thing thing = new Thing(brief(event), null);
    thing.holders.addAll(holders);
    things.put(awaited, thing);
    return thing;
  }

  private boolean hasSpace() {
    if (things.size() < MAX_THINGS) {
      return true;
    }
    left++;
    return false;
  }

  // safe: both may be user code, which must not end a look

  private static String brief(EventSource event) {
    try {
      return event.brief();
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      return "a " + event.getClass().getName() + " whose info() threw " + e.getClass().getName();
    }
  }

  private static List<CoroutineNode<?>> holders(EventSource event) {
    List<CoroutineNode<?>> all = new ArrayList<>();
    try {
      for (Awaitable<?> holder : event.holders()) {
        if (holder instanceof CoroutineNode<?> c && all.size() < MAX_HOLDERS) {
          all.add(c);
        }
      }
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
    }
    return all;
  }

  /// Whether coroutines must be read once more, since locks of the JDK are owned by threads.
  boolean needsOwners() {
    return found.size() < owners.size();
  }

  void readOwner(CoroutineNode<?> c) {
    ExecutionContext context = c.context();
    if (context != null && owners.contains(context.thread().threadId())) {
      found.put(context.thread().threadId(), c);
    }
  }

  // ---- rows ----

  /// The coroutines that are named in rows of things.
  Collection<CoroutineNode<?>> complete(List<Map<String, String>> rows) {
    for (Thing thing : things.values()) {
      CoroutineNode<?> owner = thing.owner == null ? null : found.get(thing.owner.threadId());
      if (owner != null) {
        thing.holders.add(owner);
      }
    }
    Set<CoroutineNode<?>> waiting = new LinkedHashSet<>();
    Set<CoroutineNode<?>> holding = new LinkedHashSet<>();
    things
        .values()
        .forEach(thing -> {
          waiting.addAll(thing.waiters);
          holding.addAll(thing.holders);
        });
    Set<CoroutineNode<?>> named = new LinkedHashSet<>();
    int number = 0;
    for (Thing thing : things.values()) {
      rows.add(row(number++, thing, waiting, holding, named));
    }
    return named;
  }

  int left() {
    return left;
  }

  private static Map<String, String> row(
      int number,
      Thing thing,
      Set<CoroutineNode<?>> waiting,
      Set<CoroutineNode<?>> holding,
      Set<CoroutineNode<?>> named) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("row", "thing");
    fields.put("number", Integer.toString(number));
    fields.put("what", thing.what);
    fields.put("waiters", Integer.toString(thing.waiters.size()));
    fields.put("holders", Integer.toString(thing.holders.size()));
    fields.put("waiting", some(thing.waiters, holding, named));
    fields.put("held", some(thing.holders, waiting, named));
    Thread owner = thing.owner;
    if (owner != null && thing.holders.isEmpty()) {
      String name = owner.getName();
      fields.put("thread", name.isEmpty() ? "thread " + owner.threadId() : name);
    }
    return fields;
  }

  private static String some(
      List<CoroutineNode<?>> all, Set<CoroutineNode<?>> on, Set<CoroutineNode<?>> named) {
    List<CoroutineNode<?>> chosen = new ArrayList<>();
    all.stream().filter(on::contains).limit(MAX_ON).forEach(chosen::add);
    all.stream().filter(c -> !on.contains(c)).limit(MAX_ENDS).forEach(chosen::add);
    named.addAll(chosen);
    return chosen.stream().map(c -> Long.toString(c.id())).collect(Collectors.joining(" "));
  }

  Map<String, String> row(CoroutineNode<?> c) {
    Map<String, String> fields = new LinkedHashMap<>();
    boolean isMain = c.isMain();
    fields.put("row", "coroutine");
    fields.put("id", Long.toString(c.id()));
    fields.put("name", c.label());
    fields.put("site", isMain ? "main" : SpawnSites.describe(SpawnSites.key(c.site())));
    boolean waits = c.status() == WakerStatus.WAITING || c.status() == WakerStatus.NO_STATUS;
    fields.put("waitedMillis", waits ? Long.toString(c.waited().toMillis()) : "0");
    if (mayEnd.contains(c)) {
      fields.put("mayEnd", "true");
    }
    return fields;
  }
}
