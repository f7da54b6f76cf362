// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.partner.Partner;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Another node. Its process sends pings back, answers questions and counts items.
public final class ClusterPartner implements Partner {
  static final String ENTRY = "answering";
  static final String MORTAL = "mortal";
  private static final int TRIES = 10;

  private static final StartOptions SENDERS_WAIT =
      StartOptions.defaults().withMailbox(StartOptions.DEFAULT_MAILBOX, MailboxPolicy.SUSPEND);

  /// A partner.
  public ClusterPartner() {}

  /// Joins.
  ///
  /// @param arguments its name, the address of a seed, the cluster's name, the directory of its
  ///   key, which is empty for plain TCP, and its own directory, which is empty when there are no
  ///   voters
  @Override
  public String start(String... arguments) throws IOException {
    Cluster cluster = join(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
    return "127.0.0.1:" + cluster.address().getPort();
  }

  /// Joins at a port that is free. A node has to name its port: another program may take it first.
  ///
  /// @param seed an address; empty for none
  /// @param key the directory of its key; empty for plain TCP
  /// @param directory of a voter; empty when there are none
  static Cluster join(String name, String seed, String cluster, String key, String directory)
      throws IOException {
    ClusterOptions options =
        ClusterOptions.named(name)
            .cluster(cluster)
            .messages(ClusterWire.class)
            .entry(ENTRY, SENDERS_WAIT, Answering::new)
            .entry(MORTAL, Mortal::new);
    options = seed.isEmpty() ? options : options.seeds(seed);
    options = key.isEmpty() ? options : NodeKey.in(options, Path.of(key));
    options =
        directory.isEmpty() ? options : options.voters("a", "b", "c").directory(Path.of(directory));
    for (int tries = 1; ; tries++) {
      try {
        return Cluster.join(options.bind("127.0.0.1", freePort()));
      } catch (IOException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /// Ends in its first step.
  private static final class Mortal implements Process {
    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      out.done();
    }
  }

  /// Owns names, and does nothing.
  static final class Silent implements Process {
    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {}
  }

  private static final class Answering implements Process {
    private @Nullable ProcessContext context;
    private @Nullable Pid pinger;
    private @Nullable Pid counting;
    private long expected;
    private long counted;

    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {
      context = self;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        switch (event.data()) {
          case Request request when request.message() instanceof ClusterWire.Question(long n) ->
              request.reply().complete(new ClusterWire.Small(n, "pong"));
          case ClusterWire.Small small -> send(Objects.requireNonNull(pinger), small);
          case ClusterWire.Item _ -> count(1);
          case byte[] _ -> count(1);
          case ClusterWire.Greeting(Pid from) -> pinger = from;
          case ClusterWire.Expect(long items, Pid from) -> {
            expected = items;
            counting = from;
            count(0);
          }
          case null, default -> throw new IllegalStateException("unexpected: " + event);
        }
      }
    }

    private void count(int more) {
      counted += more;
      if (counting != null && counted >= expected) {
        send(counting, new ClusterWire.Counted(counted));
        counting = null;
        counted = 0;
      }
    }

    private void send(Pid to, ClusterWire message) {
      Objects.requireNonNull(context).send(to, message);
    }
  }
}
