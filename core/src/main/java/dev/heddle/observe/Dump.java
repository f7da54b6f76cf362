// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All coroutines of a loop at one moment: their states, what they wait for, and since when.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=dump}
///
/// @param loop the loop's name
/// @param takenAt the moment
/// @param scopes the tree: each scope after its parent, the root first
/// @param coroutines those that have not ended, in the order of their numbers
/// @param parts the pools of the loop; in dumps that the program requests, not in a loop's reports,
///   also what else runs in this JVM: process runtimes
/// @see dev.heddle.Heddle#dump()
/// @since 0.1
public record Dump(
    String loop,
    Instant takenAt,
    List<ScopeSnapshot> scopes,
    List<CoroutineSnapshot> coroutines,
    List<DumpPart> parts) {
  /// Creates a dump of a loop alone.
  public Dump(
      String loop,
      Instant takenAt,
      List<ScopeSnapshot> scopes,
      List<CoroutineSnapshot> coroutines) {
    this(loop, takenAt, scopes, coroutines, List.of());
  }

  /// As text: the tree of scopes; each coroutine with its state, what it waits for and how long,
  /// where it was spawned, and its stack. Coroutines of a scope that differ only in number, name
  /// and time are shown once; a repeated stack is shown as a reference. Then the other parts.
  public String text() {
    DumpText text = new DumpText(this);
    StringBuilder all = new StringBuilder(text.heading() + "\n\n" + text.tree());
    parts.forEach(part -> all.append('\n').append(part.text()));
    return all.toString();
  }

  /// As a table: a line for each coroutine.
  public String table() {
    DumpText text = new DumpText(this);
    return text.heading() + "\n\n" + text.table();
  }

  /// As JSON: one object with all fields of this record. Stacks are in a separate array, each once,
  /// and coroutines refer to them by index.
  public String json() {
    return new ToJson(this).write();
  }

  @Override
  public String toString() {
    return text();
  }

  private static final class ToJson {
    private final Dump dump;
    private final Map<List<StackTraceElement>, Integer> stacks = new LinkedHashMap<>();

    ToJson(Dump dump) {
      this.dump = dump;
    }

    String write() {
      Map<String, @Nullable Object> all = new LinkedHashMap<>();
      all.put("loop", dump.loop());
      all.put("takenAt", dump.takenAt().toString());
      all.put("scopes", dump.scopes().stream().map(ToJson::scope).toList());
      all.put("coroutines", dump.coroutines().stream().map(this::coroutine).toList());
      all.put(
          "stacks",
          stacks.keySet().stream()
              .map(s -> s.stream().map(StackTraceElement::toString).toList())
              .toList());
      all.put("parts", dump.parts().stream().map(part -> new Json.Written(part.json())).toList());
      return Json.write(all);
    }

    private static Map<String, @Nullable Object> scope(ScopeSnapshot scope) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", scope.id());
      fields.put("kind", scope.kind());
      fields.put("cancelled", scope.cancelled());
      fields.put("parent", scope.parent());
      fields.put("owner", scope.owner());
      return fields;
    }

    private Map<String, @Nullable Object> coroutine(CoroutineSnapshot c) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", c.id());
      fields.put("name", c.name());
      fields.put("scope", c.scope());
      fields.put("state", c.state().name());
      fields.put("status", c.status());
      fields.put("background", c.background());
      fields.put("cancelled", c.cancelled());
      fields.put("spawnSite", c.spawnSite());
      fields.put("suspendSite", c.suspendSite());
      fields.put("waitedMillis", c.waited() == null ? null : c.waited().toMillis());
      fields.put("waits", c.waits().stream().map(ToJson::wait).toList());
      fields.put("foreign", c.foreign() == null ? null : foreign(c.foreign()));
      fields.put("outcome", c.outcome());
      Integer stack = stacks.putIfAbsent(c.stack(), stacks.size());
      fields.put("stack", stack == null ? stacks.size() - 1 : stack);
      return fields;
    }

    private static Map<String, @Nullable Object> wait(WaitSnapshot wait) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("on", wait.on());
      fields.put("fired", wait.fired());
      fields.put("daemon", wait.daemon());
      fields.put("holders", wait.holders());
      return fields;
    }

    private static Map<String, @Nullable Object> foreign(ForeignWait foreign) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("state", foreign.state().name());
      fields.put("method", foreign.method());
      fields.put("blocker", foreign.blocker());
      fields.put("owner", foreign.owner());
      fields.put("ownerId", foreign.ownerId());
      return fields;
    }
  }
}
