// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.Trips;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;

/// Round trips to a node while another one is stopped, and its outbox full.
public final class ClusterIsolation implements Program {
  /// The 99th percentile before the other is stopped, in microseconds.
  public static final String BEFORE = "before-p99-micros";

  /// The heap that the stopped node's outbox holds, in MiB, after a full collection.
  public static final String HELD = "held-mib";

  private static final int BLOB_BYTES = 1_000;
  private static final double MIB = 1 << 20;

  private final Nodes nodes;

  /// A program of three nodes.
  public ClusterIsolation() throws Exception {
    nodes = new Nodes(2);
  }

  @Override
  public Sample round(long operations) throws Exception {
    ProcessRuntime runtime = nodes.here().runtime();
    nodes.awaitDrained("c"); // of what the last round left
    Pid healthy = nodes.answering("b");
    Pid stopped = nodes.answering("c");
    var meter = new Meter();
    meter.start();
    double before = Ping.round(runtime, healthy, operations).count(Trips.P99);
    double heap = LiveHeap.bytes();
    nodes.jvm(1).pause();
    try {
      fill(runtime, stopped);
      double during = Ping.round(runtime, healthy, operations).count(Trips.P99);
      var _ = nodes.info("c"); // still in touch: it was full all the time
      double held = LiveHeap.bytes() - heap;
      return meter
          .stop(operations)
          .with(BEFORE, before)
          .with(Trips.P99, during)
          .with(HELD, held / MIB);
    } finally {
      nodes.jvm(1).resume();
      runtime.terminate(healthy);
      runtime.terminate(stopped);
    }
  }

  private static void fill(ProcessRuntime runtime, Pid stopped) {
    byte[] bytes = new byte[BLOB_BYTES];
    SendResult result;
    do {
      result = runtime.offer(stopped, new ClusterWire.Blob(0, bytes));
    } while (result == SendResult.ACCEPTED);
    if (result != SendResult.FULL) {
      throw new IllegalStateException("the outbox of the stopped node is " + result);
    }
  }

  @Override
  public void close() throws Exception {
    nodes.close();
  }
}
