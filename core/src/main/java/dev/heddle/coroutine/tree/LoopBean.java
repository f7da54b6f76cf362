// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.Dump;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.LoopMXBean;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A loop for management tools, called on their threads.
final class LoopBean implements LoopMXBean {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final LoopRoot loop;

  LoopBean(LoopRoot loop) {
    this.loop = loop;
  }

  private LoopCounters counters() {
    // safe: plain counters, read while the loop writes them; they lag, as the interface says
    return loop.counters();
  }

  @Override
  public String getName() {
    return loop.options().name();
  }

  @Override
  public String getCarrier() {
    return loop.scheduler().carrier().getName();
  }

  @Override
  public int getCoroutines() {
    return counters().coroutines();
  }

  @Override
  public long getSwitches() {
    return counters().switches();
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
  public long getLooks() {
    return counters().looks();
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
    return dump == null ? held().text() : dump.table();
  }

  @Override
  public String dump() {
    Dump dump = ask();
    return dump == null ? held().text() : dump.text();
  }

  @Override
  public String dumpJson() {
    Dump dump = ask();
    return dump == null ? held().json() : dump.json();
  }

  private HoldReport held() {
    return loop.watch().holds().report(PATIENCE);
  }

  private @Nullable Dump ask() {
    try {
      return loop.askForDump().get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the loop was asked", e);
    }
  }
}
