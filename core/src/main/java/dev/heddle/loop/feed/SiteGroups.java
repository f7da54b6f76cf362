// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.LongIndex;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// Coroutines of one spawn site that are in one state and wait for one kind of thing are a group.
/// Groups have numbers, which are found without an allocation once they are known.
final class SiteGroups {
  private static final int SITE_SHIFT = 32;
  private static final int STATE_SHIFT = 24; // below: the number of the kind
  private static final String MAIN = "main";

  /// A group.
  ///
  /// @param site a key of [SpawnSites], or the word for the main coroutine
  /// @param kind the class of what is waited for, a state of a thread, or an empty text
  record Group(Object site, State state, Object kind) {
    String siteInWords() {
      return SpawnSites.describe(site);
    }

    String kindInWords() {
      return kind instanceof Class<?> type ? KindNames.of(type) : kind.toString();
    }
  }

  private final Map<Object, Integer> sites = new HashMap<>();
  private final Map<Object, Integer> kinds = new HashMap<>();
  private final LongIndex numbers = new LongIndex();
  private final List<Group> groups = new ArrayList<>();

  int size() {
    return groups.size();
  }

  Group at(int number) {
    return groups.get(number);
  }

  /// The group of a coroutine now.
  int of(CoroutineNode<?> coroutine) {
    Object site = coroutine.isMain() ? MAIN : SpawnSites.key(coroutine.site());
    State state = state(coroutine);
    Object kind =
        switch (state) {
          case WAITING -> awaited(coroutine);
          case FOREIGN -> blocker(coroutine);
          default -> "";
        };
    long key =
        (number(sites, site) << SITE_SHIFT) | (number(state) << STATE_SHIFT) | number(kinds, kind);
    int known = numbers.get(key + 1); // 0 is no key
    if (known == LongIndex.ABSENT) {
      known = groups.size();
      groups.add(new Group(site, state, kind));
      numbers.put(key + 1, known);
    }
    return known;
  }

  private static long number(Map<Object, Integer> all, Object key) {
    Integer known = all.get(key);
    if (known == null) {
      known = all.size();
      all.put(key, known);
    }
    return known;
  }

  private static long number(State state) {
    return switch (state) {
      case NEW -> 0;
      case READY -> 1;
      case RUNNING -> 2;
      case WAITING -> 3;
      case FOREIGN -> 4;
    };
  }

  private static State state(CoroutineNode<?> c) {
    ExecutionContext context = c.context();
    if (!c.isStarted() || context == null) {
      return State.NEW;
    }
    return c.status() == WakerStatus.WAITING
        ? State.WAITING
        : context.isParked() && c.status() == WakerStatus.NO_STATUS ? State.FOREIGN : State.READY;
  }

  private static Object awaited(CoroutineNode<?> c) {
    EventSource event = c.firstAwaited();
    return event == null ? "" : event.kind();
  }

  private static Object blocker(CoroutineNode<?> c) {
    ExecutionContext context = c.context();
    if (context == null) {
      return "";
    }
    Object parkedFor = LockSupport.getBlocker(context.thread());
    if (parkedFor != null) {
      return parkedFor.getClass();
    }
    return switch (context.thread().getState()) {
      case BLOCKED -> "a monitor";
      case TIMED_WAITING -> "a sleep, or another wait with a limit";
      default -> "a socket, a monitor's notify or a park";
    };
  }
}
