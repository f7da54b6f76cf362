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
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Another node. Its process sends pings back, answers questions and counts items.
public final class ClusterPartner implements Partner {
  static final String ENTRY = "answering";
  static final String MORTAL = "mortal";

  private static final StartOptions SENDERS_WAIT =
      StartOptions.defaults().withMailbox(StartOptions.DEFAULT_MAILBOX, MailboxPolicy.SUSPEND);

  /// A partner.
  public ClusterPartner() {}

  /// Joins.
  ///
  /// @param arguments its name, its port, the address of a seed, the cluster's name, the directory
  ///   of its key, which is empty for plain TCP, and its own directory, which is empty when there
  ///   are no voters
  @Override
  public String start(String... arguments) throws IOException {
    int port = Integer.parseInt(arguments[1]);
    ClusterOptions options = options(arguments[0], port).cluster(arguments[3]).seeds(arguments[2]);
    String key = arguments[4];
    String directory = arguments[5];
    if (!directory.isEmpty()) {
      options = voter(options, Path.of(directory));
    }
    Cluster cluster = Cluster.join(key.isEmpty() ? options : NodeKey.in(options, Path.of(key)));
    return "127.0.0.1:" + cluster.address().getPort();
  }

  static ClusterOptions options(String name, int port) {
    return ClusterOptions.named(name)
        .bind("127.0.0.1", port)
        .messages(ClusterWire.class)
        .entry(ENTRY, SENDERS_WAIT, Answering::new)
        .entry(MORTAL, Mortal::new);
  }

  /// The same options for one of three voters.
  static ClusterOptions voter(ClusterOptions options, Path directory) {
    return options.voters("a", "b", "c").directory(directory);
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
