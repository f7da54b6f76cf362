// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A dump as a JSON object.
final class DumpJson {
  private final Dump dump;
  private final Map<List<StackTraceElement>, Integer> stacks = new LinkedHashMap<>();

  DumpJson(Dump dump) {
    this.dump = dump;
  }

  String write() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("loop", dump.loop());
    all.put("takenAt", dump.takenAt().toString());
    all.put("scopes", dump.scopes().stream().map(DumpJson::scope).toList());
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
    fields.put("waits", c.waits().stream().map(DumpJson::wait).toList());
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
