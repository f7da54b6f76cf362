// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.Certificates;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.StepOutput;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/// A node in a JVM of its own: it says what happens, a line each, and does what it reads. It ends
/// when its input ends, so none outlives a test.
///
/// `NodeProgram NAME PORT SEED…`; without a name it joins nothing. A port is one of loopback, or
/// `HOST:PORT`. More options are properties of its JVM, which [#property] makes.
final class NodeProgram {
  static final String VOTERS = "voters"; // with commas between
  static final String DIRECTORY = "directory";
  static final String LEASE = "lease"; // milliseconds
  static final String VERSIONS = "versions"; // of the wire: `1-2`
  static final String KEYS = "keys"; // with the password of all tests
  static final String TRUST = "trust";

  private static final Set<String> UP = new HashSet<>(); // nodes in touch; under its monitor

  private static final String LOOPBACK = "127.0.0.1";

  record Question(int number) {}

  record Reply(int number) {}

  private NodeProgram() {}

  /// An option of the JVM.
  static String property(String name, Object value) {
    return "-Dnode." + name + "=" + value;
  }

  private static String property(String name) {
    return System.getProperty("node." + name, "");
  }

  private static ClusterOptions withProperties(ClusterOptions options) {
    ClusterOptions all = options;
    if (!property(VOTERS).isEmpty()) {
      all = all.voters(property(VOTERS).split(",")).directory(Path.of(property(DIRECTORY)));
      if (!property(LEASE).isEmpty()) {
        all = all.lease(Duration.ofMillis(Long.parseLong(property(LEASE))));
      }
    }
    if (!property(VERSIONS).isEmpty()) {
      String[] range = property(VERSIONS).split("-");
      all = all.versions(Integer.parseInt(range[0]), Integer.parseInt(range[1]));
    }
    if (!property(KEYS).isEmpty()) {
      Path keys = Path.of(property(KEYS));
      all = all.certificates(keys, Path.of(property(TRUST)), new String(Certificates.PASSWORD));
    }
    return all;
  }

  public static void main(String[] args) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (args.length == 0) {
      var _ = Class.forName("dev.heddle.cluster.ClusterOptions"); // on the path, not used
      dev.heddle.process.ProcessRuntime.builder().node("alone").start();
      say("READY");
      in.readLine();
      Runtime.getRuntime().halt(0);
    }
    ClusterOptions options =
        ClusterOptions.named(args[0])
            .bind(host(args[1]), Integer.parseInt(args[1].substring(args[1].indexOf(':') + 1)))
            .seeds(
                Stream.of(args)
                    .skip(2)
                    .map(it -> it.contains(":") ? it : LOOPBACK + ":" + it)
                    .toArray(String[]::new))
            .messages(Question.class, Reply.class)
            .entry("answers", Answers::new);
    if (!host(args[1]).equals(LOOPBACK)) {
      options = options.insecure(); // in a network of the test's own
    }
    Cluster cluster = Cluster.join(withProperties(options));
    cluster.onChange(NodeProgram::onChange);
    cluster.onChange(change ->
        say(
            switch (change) {
              case ClusterChange.Up(var node, var life) -> "UP " + node + " " + life;
              case ClusterChange.Left(var node, var life) -> "LEFT " + node + " " + life;
              case ClusterChange.Lost(var node, var life, var why) ->
                  "LOST " + node + " " + life + " " + why;
            }));
    SoakCut cut = SoakCut.into(cluster);
    SpokenVersions spoken = SpokenVersions.into(cluster);
    say("READY");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        if (line.startsWith("spoken ")) {
          say("SPOKEN " + line.substring(7) + " " + spoken.by(line.substring(7)));
        } else {
          obey(cluster, cut, line.split(" "));
        }
      } catch (RuntimeException e) {
        say("FAILED " + e);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static String host(String address) {
    return address.contains(":") ? address.substring(0, address.indexOf(':')) : LOOPBACK;
  }

  private static void obey(Cluster cluster, SoakCut cut, String[] words)
      throws InterruptedException {
    switch (words[0]) {
      case "cut" -> {
        cut.from(Set.copyOf(Stream.of(words).skip(1).toList()));
        say("CUT");
      }
      case "watch" -> {
        cluster.runtime().spawn(new Watcher(started(cluster, words[1])));
      }
      case "ask" -> {
        Pid there = started(cluster, words[1]);
        Object reply = cluster.runtime().ask(there, new Question(7), Duration.ofMinutes(2));
        say("REPLY " + words[1] + " " + reply);
      }
      case "leave" -> {
        cluster.leave(Duration.ofSeconds(30));
        say("HAS LEFT");
      }
      case "nodes" -> say("NODES " + nodes(cluster));
      case "measure" -> say("MEASURED " + SoakNode.measure());
      case "leads" -> say("LEADS " + leads(cluster));
      case "register" -> register(cluster, words[1]);
      case "token" -> {
        OptionalLong token = cluster.names().token(words[1]);
        say("TOKEN " + words[1] + " " + (token.isPresent() ? token.getAsLong() : "none"));
      }
      case "whereis" -> {
        Pid owner = cluster.names().whereis(words[1]);
        say("OWNER " + words[1] + " " + (owner == null ? "none" : owner.node()));
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private static boolean leads(Cluster cluster) {
    return cluster.nodes().stream()
        .anyMatch(it -> it.isLeader() && cluster.name().equals(it.name()));
  }

  private static List<String> nodes(Cluster cluster) {
    return cluster.nodes().stream().map(NodeProgram::describe).toList();
  }

  private static String describe(NodeInfo node) {
    return "%s at %s is %s: %s".formatted(node.name(), node.address(), node.state(), node.reason());
  }

  /// Tries once to get a name for a new process.
  private static void register(Cluster cluster, String name) throws InterruptedException {
    Pid pid = cluster.runtime().spawn(new Answers());
    try {
      say("REGISTERED " + name + " " + cluster.names().register(name, pid));
    } catch (NameTakenException e) {
      say("TAKEN " + name + " " + e.owner().node() + " " + e.owner().incarnation());
    } catch (NoQuorumException e) {
      say("NO MAJORITY " + name + " " + e.getMessage());
    }
  }

  /// Starts a process at another node, as soon as that is in touch.
  private static Pid started(Cluster cluster, String node) throws InterruptedException {
    while (true) {
      awaitUp(node);
      try {
        return cluster.spawn("answers", StartOptions.defaults(), Place.on(node));
      } catch (StartRefusedException e) {
        say("AGAIN " + e.getMessage()); // the session has just ended: a new one follows
        synchronized (UP) {
          UP.remove(node);
        }
      }
    }
  }

  private static void awaitUp(String node) throws InterruptedException {
    synchronized (UP) {
      while (!UP.contains(node)) {
        UP.wait();
      }
    }
  }

  private static void onChange(ClusterChange change) {
    synchronized (UP) {
      if (change instanceof ClusterChange.Up) {
        UP.add(change.node());
      } else {
        UP.remove(change.node());
      }
      UP.notifyAll();
    }
  }

  /// A line with the time of the clock that all JVMs of a machine share.
  static void say(String what) {
    synchronized (System.out) {
      System.out.println(System.currentTimeMillis() + " " + what);
      System.out.flush();
    }
  }

  /// Replies to questions.
  static final class Answers implements Process {
    @Override
    public void init(ProcessContext context, String method, Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request request
            && request.message() instanceof Question(int number)) {
          request.reply().complete(new Reply(number));
        }
      }
    }
  }

  /// Says how a process of another node has ended.
  private static final class Watcher implements Process {
    private final Pid watched;

    Watcher(Pid watched) {
      this.watched = watched;
    }

    @Override
    public void init(ProcessContext context, String method, Object input) {
      context.monitor(watched);
      say("WATCHES " + watched.node());
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof ProcessSignal.Down down) {
          say("DOWN " + watched.node() + " " + down.exit().reason());
        }
      }
    }
  }
}
