// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A pool of a loop at one moment: how much it has lent, to whom and since when.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=leases}
///
/// @param name its name, or null
/// @param max the limit of resources
/// @param size the resources, including those being created
/// @param idle the resources that can be lent
/// @param waiting the coroutines that wait for one
/// @param acquired how many leases it has given so far
/// @param timedOut how many acquires have ended by their deadline so far
/// @param created how many resources its factory has made so far
/// @param destroyed how many of these it has destroyed so far
/// @param leases what is lent, the oldest first
/// @see dev.heddle.sync.Pool#snapshot()
/// @since 0.1
public record PoolSnapshot(
    @Nullable String name,
    int max,
    int size,
    int idle,
    int waiting,
    long acquired,
    long timedOut,
    long created,
    long destroyed,
    List<LeaseSnapshot> leases)
    implements DumpPart {
  /// A resource that is lent.
  ///
  /// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=leases}
  ///
  /// @param resource its class and identity, as [Object#toString()] would show it
  /// @param holder the coroutine that acquired it
  /// @param holderEnded whether that coroutine has ended: unless another one releases it, it is
  ///   never released
  /// @param held the time since then
  /// @since 0.1
  public record LeaseSnapshot(String resource, String holder, boolean holderEnded, Duration held) {
    @Override
    public String toString() {
      String ended = holderEnded ? " (which has ended without releasing it)" : "";
      return "%s, held for %d ms by %s%s".formatted(resource, held.toMillis(), holder, ended);
    }
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder(name == null ? "A pool" : "Pool '" + name + "'");
    text.append(
        ": %,d of at most %,d, %,d idle, %,d lent, %,d waiting\n"
            .formatted(size, max, idle, leases.size(), waiting));
    text.append(
        "  so far: %,d acquired, %,d timed out, %,d created, %,d destroyed\n"
            .formatted(acquired, timedOut, created, destroyed));
    leases.forEach(lease -> text.append("  ").append(lease).append('\n'));
    return text.toString();
  }

  @Override
  public String json() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("kind", "pool");
    all.put("name", name);
    all.put("max", max);
    all.put("size", size);
    all.put("idle", idle);
    all.put("waiting", waiting);
    all.put("acquired", acquired);
    all.put("timedOut", timedOut);
    all.put("created", created);
    all.put("destroyed", destroyed);
    all.put("leases", leases.stream().map(PoolSnapshot::json).toList());
    return Json.write(all).strip();
  }

  private static Map<String, @Nullable Object> json(LeaseSnapshot lease) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("resource", lease.resource());
    fields.put("holder", lease.holder());
    fields.put("holderEnded", lease.holderEnded());
    fields.put("heldMillis", lease.held().toMillis());
    return fields;
  }

  @Override
  public String toString() {
    return text();
  }
}
