// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.loop.feed.LoopFeed;
import dev.heddle.loop.trace.LoopRecording;
import dev.heddle.observe.Dump;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.scheduler.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A loop for management tools, and for `heddle ps` and `heddle dump`; called on their threads.
final class LoopBean implements LoopMXBean, Attachable {
  private static final String STACK = "stack "; // and the number of a coroutine
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final CoroutineTree tree;
  private final HoldDetector holds;
  private final LoopReporter reports;
  private final long began = System.nanoTime();

  LoopBean(CoroutineTree tree, HoldDetector holds, LoopReporter reports) {
    this.tree = tree;
    this.holds = holds;
    this.reports = reports;
  }

  private LoopCounters counters() {
    // safe: plain counters, read while the loop writes them; they may lag, as the interface
    // documents
    return tree.counters();
  }

  @Override
  public String getName() {
    return tree.options().name();
  }

  @Override
  public String getCarrier() {
    return scheduler().carrier().getName();
  }

  @Override
  public int getCoroutines() {
    return counters().coroutines();
  }

  @Override
  public long getUptimeMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }

  @Override
  public String getState() {
    return holder() != null ? "held" : scheduler().isAsleep() ? "asleep" : "busy";
  }

  @Override
  public @Nullable String getHolder() {
    HoldReport hold = holder();
    return hold == null ? null : hold.coroutine();
  }

  @Override
  public long getHeldMillis() {
    return holder() == null ? 0 : holds.heldFor().toMillis();
  }

  private @Nullable HoldReport holder() {
    return holds.running();
  }

  private Scheduler scheduler() {
    return tree.scheduler();
  }

  @Override
  public int getReady() {
    return scheduler().readyCount();
  }

  @Override
  public int getWaiting() {
    int running = scheduler().isAsleep() ? 0 : 1;
    return Math.max(0, getCoroutines() - getReady() - getForeign() - running);
  }

  @Override
  public int getForeign() {
    return scheduler().foreignCount();
  }

  @Override
  public long getSwitches() {
    return counters().switches();
  }

  @Override
  public long getRetriedMounts() {
    return counters().retriedMounts();
  }

  @Override
  public long getSelfResumes() {
    return counters().selfResumes();
  }

  @Override
  public long getReusedStarts() {
    return counters().reusedStarts();
  }

  @Override
  public long getImmediateWaits() {
    return counters().immediateWaits();
  }

  @Override
  public long getPolls() {
    return counters().polls();
  }

  @Override
  public long getSleeps() {
    return counters().sleeps();
  }

  @Override
  public int getTimers() {
    return counters().timers();
  }

  @Override
  public long getContexts() {
    return counters().contexts();
  }

  @Override
  public String table() {
    Dump dump = ask();
    return dump == null ? silence() : dump.table();
  }

  @Override
  public String dump() {
    Dump dump = ask();
    return dump == null ? silence() : dump.text();
  }

  @Override
  public String dumpJson() {
    Dump dump = ask();
    return dump == null ? held().json() : dump.json();
  }

  private String silence() {
    return "%sThe loop does not answer meanwhile; its %,d coroutines cannot be listed.\n"
        .formatted(held().text(), getCoroutines());
  }

  private HoldReport held() {
    Duration lasted = holds.heldFor();
    return holds.report(lasted.compareTo(PATIENCE) < 0 ? PATIENCE : lasted);
  }

  private @Nullable Dump ask() {
    return await(DumpTaker.request(tree));
  }

  private static @Nullable Dump await(CompletableFuture<Dump> dump) {
    try {
      return dump.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the loop", e);
    }
  }

  @Override
  public String kind() {
    return "loop";
  }

  @Override
  public Map<String, String> summary() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", getName());
    fields.put("state", getState());
    fields.put("coroutines", Integer.toString(getCoroutines()));
    fields.put("ready", Integer.toString(getReady()));
    fields.put("waiting", Integer.toString(getWaiting()));
    fields.put("foreign", Integer.toString(getForeign()));
    fields.put("switches", Long.toString(getSwitches()));
    fields.put("uptimeMillis", Long.toString(getUptimeMillis()));
    String holder = getHolder();
    if (holder != null) {
      fields.put("holder", holder);
      fields.put("heldMillis", Long.toString(getHeldMillis()));
    }
    return fields;
  }

  /// The counters of a loop, for its feed.
  private Map<String, String> counts() {
    Map<String, String> fields = summary();
    fields.put("timers", Integer.toString(getTimers()));
    fields.put("handles", Integer.toString(scheduler().reactor().handles()));
    fields.put("polls", Long.toString(getPolls()));
    fields.put("sleeps", Long.toString(getSleeps()));
    fields.put("contexts", Long.toString(getContexts()));
    fields.put("holds", Integer.toString(reports.holds()));
    fields.put("stalls", Integer.toString(reports.stalls()));
    fields.put("failures", Integer.toString(reports.failures()));
    fields.put("reports", Integer.toString(reports.written()));
    fields.put("lastReport", reports.last());
    return fields;
  }

  /// What was reported about the loop, and the hold that lasts, for its feed.
  private List<Map<String, String>> reported() {
    List<Map<String, String>> rows = new ArrayList<>();
    if (holder() != null) {
      HoldReport sampled = holds.report(holds.heldFor());
      if (holder() != null) { // else it has ended, and something else was sampled
        var lasting = new LoopReporter.Recent(System.currentTimeMillis(), "hold", sampled.text());
        Map<String, String> row = lasting.row();
        row.put("row", "hold");
        rows.add(row);
      }
    }
    reports.recent().forEach(each -> rows.add(each.row()));
    return rows;
  }

  @Override
  public Feed watch() {
    return new LoopFeed(tree, this::counts, this::reported);
  }

  @Override
  public Recording record() {
    return new LoopRecording(tree, TraceRing.USUAL, holds::between);
  }

  private String stackOf(long id) {
    Dump dump = await(DumpTaker.request(tree, id));
    if (dump == null) {
      return silence();
    }
    return dump.coroutines().isEmpty() ? "coroutine-" + id + " has ended\n" : dump.text();
  }

  @Override
  public String answer(String question) {
    if (question.startsWith(STACK)) {
      return stackOf(Long.parseLong(question.substring(STACK.length())));
    }
    return switch (question) {
      case "table" -> table();
      case "dump" -> dump();
      case "json" -> dumpJson();
      default -> throw new IllegalArgumentException("a loop does not know '" + question + "'");
    };
  }
}
