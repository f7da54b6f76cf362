// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/// The pauses of the garbage collectors of this JVM, from the beginning of a trace to its end.
///
/// **Thread** that of the session; the JVM notifies on its own.
public final class GcPauses implements AutoCloseable {
  /*
   * The beans of the collectors tell of each collection when it is over. What they say is in whole
   * milliseconds since a moment at the start of the JVM that no interface tells. So that moment is
   * estimated: a collection has ended when it is told, so the collection that was told soonest
   * after its end gives the latest moment that can be. The estimate is late by the time that this
   * notification took, and by what was rounded off: about a millisecond together.
   *
   * Rejected. Events of the Flight Recorder, which are exact: it takes a third of a second of CPU
   * to start, writes files, and stays started when the observer has left, so that loops would pay
   * for its events from then on. A thread that watches for gaps: a processor that was taken away
   * looks the same.
   */
  private static final long MILLI = 1_000_000; // nanoseconds
  private static final long LATE_NANOS = 200 * MILLI; // for notifications at the end
  private static final String NOT_A_PAUSE = "Cycles"; // of a bean of a concurrent collector

  /// A collection, in milliseconds of the JVM.
  private record Pause(String collector, String cause, String action, long from, long to) {}

  private final List<GarbageCollectorMXBean> collectors = new ArrayList<>();
  private final NotificationListener listener = (told, _) -> add(told);

  // the JVM's thread adds
  private final ConcurrentLinkedQueue<Pause> pauses = new ConcurrentLinkedQueue<>();
  private volatile long startOfJvm = Long.MAX_VALUE; // nanoTime of its millisecond 0, at the latest
  private volatile long told; // how often

  private final long patienceNanos;
  private final long before;
  private final long began = System.nanoTime();
  private List<Map<String, String>> rows = List.of(); // of the end
  private boolean over;

  /// Begins to listen.
  public GcPauses() {
    this(LATE_NANOS);
  }

  /// @param patienceNanos how long the end waits for notifications that are late
  GcPauses(long patienceNanos) {
    this.patienceNanos = patienceNanos;
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (each instanceof NotificationEmitter && !each.getName().endsWith(NOT_A_PAUSE)) {
        collectors.add(each);
      }
    }
    before = collections();
    for (GarbageCollectorMXBean each : collectors) {
      ((NotificationEmitter) each).addNotificationListener(listener, null, null);
    }
  }

  private long collections() {
    return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }

  private void add(Notification notification) {
    long now = System.nanoTime();
    if (notification.getUserData() instanceof CompositeData data
        && data.get("gcInfo") instanceof CompositeData info
        && info.get("startTime") instanceof Long from
        && info.get("endTime") instanceof Long to) {
      startOfJvm = Math.min(startOfJvm, now - to * MILLI);
      pauses.add(
          new Pause(
              String.valueOf(data.get("gcName")),
              String.valueOf(data.get("gcCause")),
              String.valueOf(data.get("gcAction")),
              from,
              to));
      told = pauses.size();
    }
  }

  /// Ends it.
  ///
  /// @return a row `pause` for each collection, in the order of time; first a row `pauses`, with
  ///   how many there were by the collectors' own counts
  public List<Map<String, String>> stop() {
    if (over) {
      return rows;
    }
    long counted = collections() - before;
    long end = System.nanoTime() + patienceNanos;
    while (told < counted && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(this, MILLI);
    }
    close();
    List<Map<String, String>> all = new ArrayList<>();
    Map<String, String> whole = new LinkedHashMap<>();
    whole.put("row", "pauses");
    whole.put("counted", Long.toString(counted));
    all.add(whole);
    pauses.stream()
        .sorted((one, other) -> Long.compare(one.from, other.from))
        .limit(counted) // one more may have come since they were counted
        .forEach(pause -> all.add(row(pause)));
    rows = all;
    return all;
  }

  private Map<String, String> row(Pause pause) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("row", "pause");
    row.put("collector", pause.collector);
    row.put("cause", pause.cause);
    row.put("action", pause.action);
    row.put("fromNanos", Long.toString(Math.max(began, startOfJvm + pause.from * MILLI)));
    row.put("toNanos", Long.toString(Math.max(began, startOfJvm + pause.to * MILLI)));
    return row;
  }

  @Override
  public void close() {
    if (!over) {
      over = true;
      for (GarbageCollectorMXBean each : collectors) {
        try {
          ((NotificationEmitter) each).removeNotificationListener(listener);
        } catch (ListenerNotFoundException _) {
          // safe: it has left
        }
      }
    }
  }
}
