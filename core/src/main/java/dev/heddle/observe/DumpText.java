// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.internal.InWords;
import dev.heddle.observe.CoroutineSnapshot.State;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Formats a dump as text.
final class DumpText {
  /// The maximum of coroutines that a report lists: those with a stack in it. More would not be
  /// read, and the text of a million different ones would be hundreds of megabytes.
  static final int MAX_LISTED = 1_000;

  private static final Pattern DIGITS = Pattern.compile("\\d+"); // compiled once, not for each
  private static final Pattern INNER_LOCK = Pattern.compile("[$](Nonfair|Fair)?Sync@");
  private static final int MAX_NAMED = 5; // of equal ones; the rest is counted
  private static final int MAX_DEPTH = 20; // deeper levels are indented no further

  private final Dump dump;
  private final Map<Long, CoroutineSnapshot> byId = new HashMap<>();
  private final Map<Integer, Integer> sizes = new HashMap<>(); // by scope
  private final Map<Integer, List<CoroutineSnapshot>> members = new HashMap<>(); // listed, by scope
  private final Map<Long, List<ScopeSnapshot>> owned = new HashMap<>(); // by coroutine
  private final Map<Integer, List<ScopeSnapshot>> unowned = new HashMap<>(); // by scope
  private final Map<List<StackTraceElement>, String> shown = new HashMap<>();
  // the unnamed holders, shared by all that wait for the same event
  private final IdentityHashMap<WaitSnapshot, List<String>> unnamed = new IdentityHashMap<>();
  private final StringBuilder text = new StringBuilder();

  DumpText(Dump dump) {
    this(dump, Integer.MAX_VALUE);
  }

  DumpText(Dump dump, int most) {
    this.dump = dump;
    Set<Long> listed = new HashSet<>();
    for (CoroutineSnapshot c : dump.coroutines()) {
      byId.put(c.id(), c);
      sizes.merge(c.scope(), 1, Integer::sum);
      if (listed.size() < most) {
        listed.add(c.id());
        members.computeIfAbsent(c.scope(), _ -> new ArrayList<>()).add(c);
      }
    }
    Set<Integer> around = listed.size() < byId.size() ? aroundListed() : null;
    for (ScopeSnapshot scope : dump.scopes()) {
      if (around != null && !around.contains(scope.id())) {
        continue;
      }
      if (scope.owner() != null && listed.contains(scope.owner())) {
        owned.computeIfAbsent(scope.owner(), _ -> new ArrayList<>()).add(scope);
      } else if (scope.parent() != null) {
        unowned.computeIfAbsent(scope.parent(), _ -> new ArrayList<>()).add(scope);
      }
    }
  }

  private Set<Integer> aroundListed() {
    Map<Integer, Integer> parents = new HashMap<>();
    for (ScopeSnapshot scope : dump.scopes()) {
      if (scope.parent() != null) {
        parents.put(scope.id(), scope.parent());
      }
    }
    Set<Integer> around = new HashSet<>();
    for (Integer own : members.keySet()) {
      for (Integer s = own; s != null && around.add(s); s = parents.get(s)) {}
    }
    return around;
  }

  // ---- summary line ----

  String heading() {
    Map<State, Long> counts =
        byId.values().stream()
            .collect(Collectors.groupingBy(CoroutineSnapshot::state, Collectors.counting()));
    String each =
        Arrays.stream(State.values())
            .filter(counts::containsKey)
            .map(
                state -> InWords.number(counts.getOrDefault(state, 0L)) + " " + state.displayName())
            .collect(Collectors.joining(", "));
    String all = InWords.count(byId.size(), "coroutine") + (each.isEmpty() ? "" : ", " + each);
    return "Loop '%s', %s: %s"
        .formatted(dump.loop(), dump.takenAt().truncatedTo(ChronoUnit.MILLIS), all);
  }

  // ---- the tree ----

  private record Item(int depth, @Nullable ScopeSnapshot scope, List<CoroutineSnapshot> alike) {}

  // not recursive: scopes may be nested deeper than a stack
  String tree() {
    ArrayDeque<Item> open = new ArrayDeque<>();
    dump.scopes().stream().limit(1).forEach(root -> push(open, below(root, 0)));
    for (Item item = open.poll(); item != null; item = open.poll()) {
      if (item.scope() != null) {
        line(item.depth(), header(item.scope()));
        push(open, below(item.scope(), item.depth() + 1));
      } else {
        coroutine(item.alike(), item.depth());
        push(open, openedBy(item.alike().getFirst(), item.depth() + 1));
      }
    }
    return text.toString();
  }

  private static void push(ArrayDeque<Item> open, List<Item> items) {
    items.reversed().forEach(open::push);
  }

  private List<Item> below(ScopeSnapshot scope, int depth) {
    List<Item> items = new ArrayList<>();
    for (List<CoroutineSnapshot> alike : folded(members.getOrDefault(scope.id(), List.of()))) {
      items.add(new Item(depth, null, alike));
    }
    for (ScopeSnapshot child : unowned.getOrDefault(scope.id(), List.of())) {
      items.add(new Item(depth, child, List.of()));
    }
    return items;
  }

  private List<Item> openedBy(CoroutineSnapshot owner, int depth) {
    return owned.getOrDefault(owner.id(), List.of()).stream()
        .map(scope -> new Item(depth, scope, List.of()))
        .toList();
  }

  private String header(ScopeSnapshot scope) {
    int size = sizes.getOrDefault(scope.id(), 0);
    return scope.kind()
        + (scope.cancelled() ? ", cancelled, with " : " with ")
        + InWords.count(size, "member");
  }

  /// The properties that coroutines of a scope share if they are shown as one.
  private record Shape(
      State state,
      String site,
      List<String> waits,
      @Nullable ForeignWait foreign,
      List<StackTraceElement> stack,
      String marks,
      Object single) {}

  private List<List<CoroutineSnapshot>> folded(List<CoroutineSnapshot> members) {
    Map<Shape, List<CoroutineSnapshot>> groups = new LinkedHashMap<>();
    for (CoroutineSnapshot c : members) {
      groups.computeIfAbsent(shape(c), _ -> new ArrayList<>()).add(c);
    }
    return List.copyOf(groups.values());
  }

  private Shape shape(CoroutineSnapshot c) {
    // times differ, and so do the numbers of the awaited coroutines
    List<String> waits =
        c.waits().stream().map(w -> DIGITS.matcher(w.on()).replaceAll("#")).toList();
    ForeignWait foreign = c.foreign();
    ForeignWait kind =
        foreign == null
            ? null
            : new ForeignWait(foreign.state(), foreign.method(), null, null, null);
    Object single = owned.containsKey(c.id()) ? c.id() : "";
    return new Shape(c.state(), c.spawnSite(), waits, kind, c.stack(), marks(c), single);
  }

  private void coroutine(List<CoroutineSnapshot> alike, int depth) {
    CoroutineSnapshot c = alike.getFirst();
    line(depth, c.label() + " " + doing(c) + marks(c));
    if (alike.size() > 1) {
      line(depth + 1, "and " + others(alike.subList(1, alike.size())));
    }
    line(depth + 1, "spawned at " + c.spawnSite());
    stack(c, depth + 1);
  }

  private static String others(List<CoroutineSnapshot> rest) {
    String named =
        rest.stream()
            .limit(MAX_NAMED)
            .map(CoroutineSnapshot::label)
            .collect(Collectors.joining(", "));
    int unnamed = rest.size() - MAX_NAMED;
    return named + (unnamed > 0 ? " and " + InWords.number(unnamed) + " more" : "") + ", alike";
  }

  private void stack(CoroutineSnapshot c, int depth) {
    if (c.stack().isEmpty()) {
      return;
    }
    String before = shown.putIfAbsent(c.stack(), c.label());
    if (before != null) {
      line(depth, "with the stack of " + before);
      return;
    }
    List<StackTraceElement> stack = c.stack();
    int first = c.foreign() == null ? 0 : inner(stack);
    for (StackTraceElement frame : stack.subList(first, stack.size())) {
      line(depth, "at " + frame);
    }
  }

  /// The number of frames inside the JDK method that the program has called; its caller does not
  /// need them.
  private static int inner(List<StackTraceElement> stack) {
    int inner = 0;
    while (inner + 1 < stack.size()
        && isOfTheJdk(stack.get(inner))
        && isOfTheJdk(stack.get(inner + 1))) {
      inner++;
    }
    return inner;
  }

  private static boolean isOfTheJdk(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.");
  }

  private void line(int depth, String words) {
    text.repeat("  ", Math.min(depth, MAX_DEPTH)).append(words).append('\n');
  }

  // ---- states ----

  private String doing(CoroutineSnapshot c) {
    return switch (c.state()) {
      case NEW -> "has not started";
      case READY ->
          "is ready to run" + (c.outcome() == null ? "" : ", its wait has ended: " + c.outcome());
      case RUNNING -> "runs";
      case WAITING -> "waits for " + waits(c, MAX_NAMED) + time(c);
      case FOREIGN -> "is parked by the JDK" + foreign(c.foreign()) + time(c);
    };
  }

  private static String marks(CoroutineSnapshot c) {
    return (c.background() ? ", in the background" : "") + (c.cancelled() ? ", cancelled" : "");
  }

  private String waits(CoroutineSnapshot c, int named) {
    return c.waits().stream().map(w -> wait(w, named)).collect(Collectors.joining(", or "));
  }

  private String wait(WaitSnapshot wait, int most) {
    List<String> holders = unnamed.computeIfAbsent(wait, this::unnamedHolders);
    if (holders.isEmpty() || (most == 1 && holders.size() > 1)) {
      return wait.on();
    }
    String named = holders.stream().limit(most).collect(Collectors.joining(", "));
    int more = holders.size() - most;
    return wait.on()
        + (wait.holders().size() == 1 ? ", held by " : ": ")
        + named
        + (more > 0 ? " and " + InWords.number(more) + " more" : "");
  }

  private List<String> unnamedHolders(WaitSnapshot wait) {
    return wait.holders().stream()
        .map(this::label)
        .filter(holder -> !wait.on().contains(holder))
        .toList();
  }

  private String label(long id) {
    CoroutineSnapshot known = byId.get(id);
    return known == null ? "coroutine-" + id : known.label();
  }

  private static String foreign(@Nullable ForeignWait foreign) {
    if (foreign == null) {
      return "";
    }
    String in = foreign.method() == null ? "" : " in " + foreign.method();
    boolean monitor = foreign.state() == Thread.State.BLOCKED;
    return in + (monitor || foreign.owner() != null ? ", for " + blocker(foreign) : "");
  }

  static String blocker(ForeignWait foreign) {
    String what = foreign.blocker() == null ? null : shortened(foreign.blocker());
    String words =
        foreign.state() == Thread.State.BLOCKED
            ? what == null ? "a monitor" : "the monitor of " + what
            : what == null ? "something" : what;
    return foreign.owner() == null ? words : words + ", held by " + foreign.owner();
  }

  // users of a lock do not know its inner class
  private static String shortened(String blocker) {
    return INNER_LOCK.matcher(blocker.substring(blocker.lastIndexOf('.') + 1)).replaceFirst("@");
  }

  private static String time(CoroutineSnapshot c) {
    return c.waited() == null ? "" : " (" + InWords.duration(c.waited()) + ")";
  }

  // ---- the table ----

  String table() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("ID", "NAME", "STATE", "FOR", "AT", "WAITS FOR"));
    dump.coroutines().forEach(c -> rows.add(row(c)));
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).repeat(" ", widths[i] - row.get(i).length() + 2);
      }
      line(0, line.toString().stripTrailing());
    }
    return text.toString();
  }

  private List<String> row(CoroutineSnapshot c) {
    String on =
        switch (c.state()) {
          case WAITING -> waits(c, 1);
          case FOREIGN -> foreign(c.foreign()).strip();
          case NEW, READY, RUNNING -> "";
        };
    return List.of(
        Long.toString(c.id()),
        c.name() == null ? "" : c.name(),
        c.state() == State.FOREIGN ? "in the JDK" : c.state().displayName(),
        c.waited() == null ? "" : InWords.duration(c.waited()),
        c.suspendSite() == null ? c.spawnSite() : c.suspendSite(),
        on);
  }
}
