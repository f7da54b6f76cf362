// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.peer.BlindSender;
import dev.heddle.cluster.session.Outbox;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A node in a JVM of its own whose process `stalled` takes nothing until it is told to, or which
/// floods one of another node: `FlowProgram NAME PORT SEED…`. It does what it reads, and says what
/// [StalledReceiverTest] waits for. It ends when its input ends.
final class FlowProgram {
  static final int MAILBOX = 10_000; // of the process that takes nothing
  private static final int COLLECTIONS = 5;
  private static final long MEASURED_NANOS = 2_000_000_000;
  private static final long PAUSE_NANOS = 1_000_000;
  private static final String GROUP = "stalled";

  record Item(int number) {}

  /// A larger one.
  record Load(int number, byte[] content) {}

  /// The last one: how many there were before.
  record Last(int count) {}

  private final Cluster cluster;
  private final CompletableFuture<Void> gate = new CompletableFuture<>();
  private final AtomicInteger ended = new AtomicInteger(); // of those that took nothing
  private final AtomicInteger taken = new AtomicInteger();
  private List<Pid> flooded = List.of(); // the last time, when it was told what was accepted
  private int[] counts = {}; // of what they have accepted
  private int stalled; // processes that take nothing
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
                .messages(Item.class, Load.class, Last.class));
    FlowProgram program = new FlowProgram(cluster);
    NodeProgram.say("READY");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      program.obey(line.split(" "));
    }
    Runtime.getRuntime().halt(0);
  }

  private void obey(String[] words) throws InterruptedException {
    switch (words[0]) {
      case "stall" ->
          stall(Integer.parseInt(words[1]), Integer.parseInt(words[2]), MailboxPolicy.SUSPEND);
      case "reject" ->
          stall(Integer.parseInt(words[1]), Integer.parseInt(words[2]), MailboxPolicy.REJECT);
      case "take" -> gate.complete(null);
      case "prompt" -> prompt(words[1]);
      case "pass" -> pass(words[1]);
      case "flood" -> {
        int least = Integer.parseInt(words[1]);
        Thread.ofPlatform().daemon().name("flood").start(() -> flood(least));
      }
      case "overflow" -> {
        int members = Integer.parseInt(words[1]);
        int bytes = Integer.parseInt(words[2]);
        int least = Integer.parseInt(words[3]);
        boolean asks = words[4].equals("requests");
        Thread.ofPlatform()
            .daemon()
            .name("flood")
            .start(() -> overflow(members, bytes, least, asks));
      }
      case "paused" -> await("PAUSED", it -> it.pausedReceivers() > 0);
      case "held" -> {
        long least = Long.parseLong(words[1]);
        await("HELD", it -> it.heldBytes() > least);
      }
      case "full" -> await("FULL", it -> it.isStalled() && it.outboxBytes() >= Outbox.FULL_BYTES);
      case "last" ->
          IntStream.range(0, counts.length).forEach(i -> last(flooded.get(i), counts[i]));
      case "taken" -> NodeProgram.say("TAKEN " + taken);
      case "refused" -> NodeProgram.say("REFUSED " + node("b").refusedThere());
      case "enough" -> isFlooding = false;
      case "memory" -> NodeProgram.say("MEMORY " + memoryKiB());
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  /// Starts processes that take nothing until they are told to.
  private void stall(int count, int mailbox, MailboxPolicy policy) {
    StartOptions options = StartOptions.defaults().withMailbox(mailbox, policy);
    stalled = count;
    for (int i = 0; i < count; i++) {
      Pid pid =
          cluster.runtime().spawn(CoroutineProcess.ofAction(self -> take(self, policy)), options);
      cluster.group(GROUP).join(pid);
    }
    NodeProgram.say("STALLS");
  }

  /// Takes what has come, in order; all of it, unless the mailbox refuses some.
  private void take(CoroutineProcess self, MailboxPolicy policy) throws InterruptedException {
    gate.join();
    int last = 0;
    while (true) {
      Object next = self.receive();
      if (next instanceof Request(Object asked, var reply)) {
        reply.complete(null);
        next = asked;
      }
      int number =
          switch (next) {
            case Item item -> item.number();
            case Load load -> load.number();
            default -> 0;
          };
      if (number == last + 1 || (policy == MailboxPolicy.REJECT && number > last)) {
        last = number;
        taken.incrementAndGet();
      } else if (next instanceof Last(int count) && count == last) {
        if (ended.incrementAndGet() == stalled) { // the others have counted theirs before
          NodeProgram.say("TAKEN all " + taken);
        }
        return;
      } else {
        NodeProgram.say("TAKEN WRONGLY " + next + " after " + last);
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
    return members(group, 1).getFirst();
  }

  private List<Pid> members(String group, int count) {
    while (true) {
      List<Pid> members = cluster.group(group).members();
      if (members.size() >= count) {
        return members;
      }
      LockSupport.parkNanos(PAUSE_NANOS); // the test has a limit
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

  /// Waits until something is true of another node.
  private void await(String what, Predicate<NodeInfo> condition) {
    while (cluster.nodes().stream().noneMatch(condition)) {
      LockSupport.parkNanos(PAUSE_NANOS); // the test has a limit
    }
    NodeProgram.say(what);
  }

  private NodeInfo node(String name) {
    return cluster.nodes().stream().filter(it -> name.equals(it.name())).findFirst().orElseThrow();
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
    last(to, sent);
  }

  /// Sends the last one, which waits until there is room.
  private void last(Pid to, int sent) {
    var _ =
        cluster
            .runtime()
            .spawn(CoroutineProcess.ofAction(self -> self.context().send(to, new Last(sent))));
  }

  /// Sends to all members in turn, whether or not they have said that their mailboxes are nearly
  /// full, until so many were accepted and it was told that this is enough. Then says how many were
  /// accepted.
  ///
  /// @param bytes of a message; 0 for one as small as can be
  /// @param asks whether these are requests
  private void overflow(int members, int bytes, int least, boolean asks) {
    List<Pid> to = members(GROUP, members);
    BlindSender sender = new BlindSender(Objects.requireNonNull(cluster.node().node("b")));
    byte[] content = new byte[bytes];
    int[] sent = new int[members];
    flooded = to;
    counts = sent;
    int accepted = 0;
    for (int i = 0; accepted < least || isFlooding; ) {
      int number = sent[i] + 1;
      Object next = bytes == 0 ? new Item(number) : new Load(number, content);
      Pid receiver = to.get(i);
      SendResult result = asks ? sender.request(receiver, next) : sender.offer(receiver, next);
      if (result.isAccepted()) {
        sent[i]++;
        accepted++;
        i = (i + 1) % members;
      } else if (result != SendResult.FULL) {
        NodeProgram.say("FLOODED WRONGLY " + result);
        return;
      } else {
        LockSupport.parkNanos(PAUSE_NANOS); // the outbox has no space
      }
    }
    NodeProgram.say("FLOODED " + accepted);
  }

  /// The heap after collections, and what lies outside of it in buffers: the least of two seconds.
  /// JGroups keeps what it has sent for up to half a second.
  private static long memoryKiB() {
    long least = Long.MAX_VALUE;
    long end = System.nanoTime() + MEASURED_NANOS;
    while (System.nanoTime() - end < 0) {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
        used += pool.getMemoryUsed();
      }
      least = Math.min(least, used / 1024);
      LockSupport.parkNanos(MEASURED_NANOS / COLLECTIONS);
    }
    return least;
  }
}
