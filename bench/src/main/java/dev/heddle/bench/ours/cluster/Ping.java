// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.Trips;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sends a small record to and fro, and ends.
final class Ping implements Process {
  private static final Object GO = "go";

  private final Pid pong;
  private final Trips trips;
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private @Nullable ProcessContext context;
  private long number;
  private long began;

  private Ping(Pid pong, long operations) {
    this.pong = pong;
    trips = new Trips(operations);
  }

  /// So many round trips, one after the other.
  static Sample round(ProcessRuntime runtime, Pid pong, long operations) throws Exception {
    var ping = new Ping(pong, operations);
    Pid pid = runtime.spawn(ping);
    runtime.send(pong, new ClusterWire.Greeting(pid));
    runtime.whenStarted(pid).get();
    var meter = new Meter();
    meter.start();
    runtime.send(pid, GO);
    ping.over.get();
    return ping.trips.in(meter.stop(operations));
  }

  @Override
  public void init(ProcessContext self, String method, @Nullable Object input) {
    context = self;
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) {
    for (ProcessEvent event : events) {
      if (event.data() instanceof ClusterWire.Small && trips.since(began)) {
        over.complete(true);
        out.done();
        return;
      }
      began = System.nanoTime();
      Objects.requireNonNull(context).send(pong, new ClusterWire.Small(number++, "ping"));
    }
  }
}
