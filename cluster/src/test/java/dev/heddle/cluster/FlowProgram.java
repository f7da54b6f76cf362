// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// A node in a JVM of its own whose process `stalled` takes nothing until it is told to, or which
/// floods one of another node: `FlowProgram NAME PORT SEED…`. It does what it reads, and says what
/// [StalledReceiverTest] waits for. It ends when its input ends.
final class FlowProgram {
  static final int MAILBOX = 10_000; // of the process that takes nothing
  private static final int COLLECTIONS = 3;
  private static final long PAUSE_NANOS = 1_000_000;
  private static final String GROUP = "stalled";

  record Item(int number) {}

  /// The last one: how many there were before.
  record Last(int count) {}

  private final Cluster cluster;
  private final CompletableFuture<Void> gate = new CompletableFuture<>();
  private volatile boolean isFlooding = true; // until it has offered enough, and was told to end

  private FlowProgram(Cluster cluster) {
    this.cluster = cluster;
  }

  public static void main(String[] args) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Cluster cluster =
        Cluster.join(
            ClusterOptions.named(args[0])
                .bind("127.0.0.1", Integer.parseInt(args[1]))
                .seeds(Stream.of(args).skip(2).map("127.0.0.1:"::concat).toArray(String[]::new))
                .messages(Item.class, Last.class));
    FlowProgram program = new FlowProgram(cluster);
    NodeProgram.say("READY");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      program.obey(line.split(" "));
    }
    Runtime.getRuntime().halt(0);
  }

  private void obey(String[] words) throws InterruptedException {
    switch (words[0]) {
      case "stall" -> stall();
      case "take" -> gate.complete(null);
      case "prompt" -> prompt(words[1]);
      case "pass" -> pass(words[1]);
      case "flood" -> {
        int least = Integer.parseInt(words[1]);
        Thread.ofPlatform().daemon().name("flood").start(() -> flood(least));
      }
      case "paused" -> paused();
      case "enough" -> isFlooding = false;
      case "memory" -> NodeProgram.say("MEMORY " + memoryKiB());
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private void stall() {
    StartOptions options = StartOptions.defaults().withMailbox(MAILBOX, MailboxPolicy.SUSPEND);
    Pid pid = cluster.runtime().spawn(CoroutineProcess.ofAction(this::take), options);
    cluster.group(GROUP).join(pid);
    NodeProgram.say("STALLS");
  }

  private void take(CoroutineProcess self) throws InterruptedException {
    gate.join();
    int taken = 0;
    while (true) {
      Object next = self.receive();
      if (next instanceof Item(int number) && number == taken + 1) {
        taken++;
      } else if (next instanceof Last(int count) && count == taken) {
        NodeProgram.say("TAKEN all " + count);
        return;
      } else {
        NodeProgram.say("TAKEN WRONGLY " + next + " after " + taken);
        return;
      }
    }
  }

  /// A process that takes what it gets, and says so.
  private void prompt(String group) {
    Pid pid =
        cluster
            .runtime()
            .spawn(
                CoroutineProcess.ofAction(self -> {
                  while (true) {
                    NodeProgram.say("GOT " + self.receive());
                  }
                }));
    cluster.group(group).join(pid);
    NodeProgram.say("PROMPT");
  }

  private Pid member(String group) {
    while (true) {
      List<Pid> members = cluster.group(group).members();
      if (!members.isEmpty()) {
        return members.getFirst();
      }
      Thread.onSpinWait(); // the test has a limit
    }
  }

  /// Sends it in a process, which waits while the outbox is full.
  private void pass(String group) {
    Pid to = member(group);
    var _ =
        cluster
            .runtime()
            .spawn(
                CoroutineProcess.ofAction(self -> {
                  self.context().send(to, new Item(7));
                  NodeProgram.say("PASSED " + group);
                }));
  }

  /// Waits until another node has said that one of its mailboxes is nearly full.
  private void paused() {
    while (cluster.nodes().stream().noneMatch(it -> it.pausedReceivers() > 0)) {
      LockSupport.parkNanos(PAUSE_NANOS); // the test has a limit
    }
    NodeProgram.say("PAUSED");
  }

  /// Offers at least so many messages, as fast as it can, until it was told that this is enough,
  /// and says how many were accepted. Then sends the last one, which waits until there is room.
  private void flood(int least) {
    Pid to = member(GROUP);
    int accepted = 0;
    int offered = 0;
    long from = System.nanoTime();
    while (offered < least || isFlooding) {
      SendResult result = cluster.runtime().offer(to, new Item(accepted + 1));
      offered++;
      if (result.isAccepted()) {
        accepted++;
      } else if (result != SendResult.FULL) {
        NodeProgram.say("FLOODED WRONGLY " + result);
        return;
      }
    }
    int sent = accepted;
    long millis = (System.nanoTime() - from) / 1_000_000;
    NodeProgram.say("FLOODED %d %d %d".formatted(sent, offered, millis));
    cluster
        .runtime()
        .spawn(CoroutineProcess.ofAction(self -> self.context().send(to, new Last(sent))));
  }

  /// The heap after collections, and what lies outside of it in buffers.
  private static long memoryKiB() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
        used += pool.getMemoryUsed();
      }
      least = Math.min(least, used / 1024);
    }
    return least;
  }
}
