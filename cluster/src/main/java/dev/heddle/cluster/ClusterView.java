// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.NodeInfo.State;
import dev.heddle.cluster.node.ClusterNode.BrokenPair;
import dev.heddle.observe.DumpPart;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a node sees of its cluster at one moment, as text and as JSON.
///
/// @param voters none in a cluster without names, whose nodes have no leases
/// @param clock of the present time
record ClusterView(
    String name,
    String cluster,
    String address,
    List<String> voters,
    List<NodeInfo> nodes,
    List<BrokenPair> broken,
    Clock clock)
    implements DumpPart {
  private static final List<String> TITLES =
      List.of(
          "NODE", "STATE", "LIFE", "PING", "OUTBOX", "UNACKED", "WINDOW", "HELD", "PAUSED",
          "REFUSED", "DROPPED");
  private static final List<String> LEASE_TITLES = List.of("LEASE", "NAMES", "SHARDS", "ENTITIES");
  private static final int FIRST_NUMBER = 2; // this column and all but the last are aligned right

  ClusterView {
    voters = List.copyOf(voters);
    nodes = List.copyOf(nodes);
    broken = List.copyOf(broken);
  }

  /// A heading, then a line for each node that has answered, and below it its reason, if there is
  /// one; then a line for each address that has not, and for each broken pair.
  @Override
  public String text() {
    long inTouch = nodes.stream().skip(1).filter(ClusterView::isInTouch).count();
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(TITLES, LEASE_TITLES, "LABELS"));
    List<NodeInfo> named = nodes.stream().filter(node -> node.name() != null).toList();
    named.forEach(node -> rows.add(row(node)));
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "Node '%s' of cluster '%s' at %s: in touch with %d %s\n"
            .formatted(name, cluster, address, inTouch, inTouch == 1 ? "other node" : "others"));
    if (!voters.isEmpty()) {
      text.append("Voters %s: %s\n".formatted(String.join(", ", voters), leader()));
    }
    for (int i = 0; i < rows.size(); i++) {
      text.append(line(rows.get(i), widths)).append('\n');
      String why = i == 0 ? null : why(named.get(i - 1));
      if (why != null) {
        text.append("  ").append(why).append('\n');
      }
    }
    nodes.stream()
        .filter(node -> node.name() == null)
        .map(node -> Map.entry(node.address(), Objects.requireNonNullElse(why(node), "no answer")))
        .forEach(
            it -> text.append("%s %s: %s\n".formatted(State.GREETING, it.getKey(), it.getValue())));
    for (BrokenPair pair : broken) {
      text.append(
          "Broken pair: '%s' and '%s' have not been in touch with each other for %s.\n"
              .formatted(pair.one(), pair.other(), inWords(pair.time())));
    }
    return text.toString();
  }

  private List<String> row(List<String> session, List<String> lease, String labels) {
    List<String> row = new ArrayList<>(session);
    if (!voters.isEmpty()) {
      row.addAll(lease);
    }
    row.add(labels);
    return row;
  }

  private String leader() {
    return nodes.stream()
        .filter(NodeInfo::isLeader)
        .findFirst()
        .map(node -> "'" + node.name() + "' leads")
        .orElse("no leader is known");
  }

  private static boolean isInTouch(NodeInfo node) {
    return node.state() == State.UP || node.state() == State.LEAVING;
  }

  private List<String> row(NodeInfo node) {
    boolean hasSession = !name.equals(node.name()) && node.state() != State.GREETING;
    Duration ping = node.roundTrip();
    NodeInfo.Lease lease = node.lease();
    return row(
        List.of(
            Objects.requireNonNullElse(node.name(), ""),
            node.isStalled() ? node.state() + ", stalled" : node.state().toString(),
            node.life() == 0 ? "" : String.valueOf(node.life()),
            ping == null ? "" : String.format(Locale.ROOT, "%.1f ms", ping.toNanos() / 1e6),
            hasSession ? bytes(node.outboxBytes()) : "",
            hasSession ? bytes(node.unacknowledgedBytes()) : "",
            hasSession ? bytes(node.windowBytes()) : "",
            hasSession ? bytes(node.heldBytes()) : "",
            hasSession ? String.valueOf(node.pausedReceivers()) : "",
            hasSession ? node.refusedHere() + "/" + node.refusedThere() : "",
            hasSession ? String.valueOf(node.dropped()) : ""),
        lease == null
            ? List.of("", "", "", "")
            : List.of(
                seconds(lease.age()),
                String.valueOf(lease.names()),
                String.valueOf(lease.shards()),
                String.valueOf(node.entities())),
        new TreeMap<>(node.labels())
            .entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(" ")));
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      int pad = widths[i] - row.get(i).length();
      boolean isRight = i >= FIRST_NUMBER && i < widths.length - 1;
      line.repeat(" ", isRight ? pad : 0).append(row.get(i)).repeat(" ", isRight ? 2 : pad + 2);
    }
    return line.toString().stripTrailing();
  }

  private @Nullable String why(NodeInfo node) {
    String reason = node.reason();
    if (reason == null) {
      return null;
    }
    Instant endedAt = node.endedAt();
    String before = isInTouch(node) ? "the last session ended by " : "";
    String ago =
        endedAt == null
            ? ""
            : " (%s ago)".formatted(inWords(Duration.between(endedAt, clock.instant())));
    return before + reason + ago;
  }

  private static String bytes(long bytes) {
    if (bytes < 1_024) {
      return String.valueOf(bytes);
    }
    return bytes < 1 << 20
        ? String.format(Locale.ROOT, "%.1f KiB", bytes / 1_024.0)
        : String.format(Locale.ROOT, "%.1f MiB", bytes / 1_048_576.0);
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }

  private static String inWords(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    if (seconds >= 3_600) {
      return seconds / 3_600 + " h " + seconds / 60 % 60 + " min";
    }
    return seconds >= 60 ? seconds / 60 + " min " + seconds % 60 + " s" : seconds + " s";
  }

  // ---- JSON ----

  @Override
  public String json() {
    return ("{\"node\":%s,\"cluster\":%s,\"address\":%s,\"voters\":[%s],\"nodes\":[%s],"
            + "\"brokenPairs\":[%s]}")
        .formatted(
            quoted(name),
            quoted(cluster),
            quoted(address),
            voters.stream().map(ClusterView::quoted).collect(Collectors.joining(",")),
            nodes.stream().map(ClusterView::json).collect(Collectors.joining(",")),
            broken.stream()
                .map(pair ->
                    "{\"one\":%s,\"other\":%s,\"seconds\":%d}"
                        .formatted(
                            quoted(pair.one()), quoted(pair.other()), pair.time().toSeconds()))
                .collect(Collectors.joining(",")));
  }

  private static String json(NodeInfo node) {
    Duration ping = node.roundTrip();
    NodeInfo.Lease lease = node.lease();
    return "{\"name\":%s,\"life\":%d,\"address\":%s,\"state\":%s,\"labels\":{%s},"
            .formatted(
                quoted(node.name()),
                node.life(),
                quoted(node.address()),
                quoted(node.state()),
                new TreeMap<>(node.labels())
                    .entrySet().stream()
                        .map(label -> quoted(label.getKey()) + ":" + quoted(label.getValue()))
                        .collect(Collectors.joining(",")))
        + "\"leader\":%b,\"lease\":%s,\"entities\":%d,"
            .formatted(
                node.isLeader(),
                lease == null
                    ? "null"
                    : "{\"ageMillis\":%d,\"names\":%d,\"shards\":%d}"
                        .formatted(lease.age().toMillis(), lease.names(), lease.shards()),
                node.entities())
        + "\"roundTripMicros\":%s,\"outboxBytes\":%d,\"unacknowledgedBytes\":%d,"
            .formatted(
                ping == null ? "null" : ping.toNanos() / 1_000,
                node.outboxBytes(),
                node.unacknowledgedBytes())
        + "\"windowBytes\":%d,\"heldBytes\":%d,".formatted(node.windowBytes(), node.heldBytes())
        + "\"pausedReceivers\":%d,\"refusedHere\":%d,\"refusedThere\":%d,\"dropped\":%d,"
            .formatted(
                node.pausedReceivers(), node.refusedHere(), node.refusedThere(), node.dropped())
        + "\"stalled\":%b,\"reason\":%s,\"endedAt\":%s}"
            .formatted(node.isStalled(), quoted(node.reason()), quoted(node.endedAt()));
  }

  private static String quoted(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : value.toString().toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
