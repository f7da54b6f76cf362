// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.load.Dialogue;
import dev.heddle.bench.load.Load;
import dev.heddle.bench.load.LoadClient;
import dev.heddle.bench.load.OpenLoadClient;
import dev.heddle.bench.measure.Latencies;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.ServerClock;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Workload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A server in a process of its own, and our client's connections to it. The client is part of the
/// driver: the same compiled code for all contenders.
///
/// The server says what it runs on, in a line or more, then where it listens, in a line that ends
/// with a port. A JVM also answers `counts`.
final class ServerProcess implements ContenderProcess {
  private static final int PRACTICE_DEPTH = 16;
  private static final double MILLI_NANOS = 1e6;
  private static final double SECOND_NANOS = 1e9;
  private static final int PRACTICE_REQUESTS = 5_000; // a look at the clock is cheap beside them

  private static final Pattern PORT = Pattern.compile(":([0-9]+)/?$");

  private final ForkedProcess forkedProcess;
  private final Workload.Serving serving;
  private final ServerClock clock;
  private final String runtime;
  private String source = "";
  private final InetSocketAddress address;
  private Load load = new Load(Dialogue.ECHO, 1, 1);
  private @Nullable LoadClient client;
  private @Nullable OpenLoadClient openClient;
  private long operations;

  private ServerProcess(ForkedProcess forkedProcess, Workload.Serving serving)
      throws ForkFailedException {
    this.forkedProcess = forkedProcess;
    this.serving = serving;
    clock = new ServerClock(forkedProcess.pid());
    var words = new StringJoiner(", ");
    Matcher port = PORT.matcher("");
    String line = forkedProcess.take(ForkedProcess.START_LIMIT);
    while (!port.reset(line).find()) {
      if (line.startsWith(ServerMain.SOURCE)) {
        source = line.substring(ServerMain.SOURCE.length());
      } else {
        words.add(line);
      }
      line = forkedProcess.take(ForkedProcess.START_LIMIT);
    }
    runtime = words.toString();
    address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
  }

  static ServerProcess start(Shape shape, Contender contender, Workload.Serving serving)
      throws ForkFailedException {
    ForkedProcess forkedProcess =
        ForkedProcess.start(
            switch (serving.host()) {
              case Workload.Jvm _ -> Jvm.command(shape, contender, ServerMain.class);
              case Workload.Peer peer -> Peers.command(peer);
            });
    try {
      return new ServerProcess(forkedProcess, serving);
    } catch (ForkFailedException e) {
      forkedProcess.close();
      throw e;
    }
  }

  @Override
  public String runtime() {
    return runtime;
  }

  @Override
  public Optional<String> source() {
    return source.isEmpty() ? Optional.empty() : Optional.of(source);
  }

  @Override
  public void open(Case size, Duration limit) throws ForkFailedException {
    try {
      closeClient();
      load = serving.loads().apply(size);
      if (load.rate().isPresent()) {
        openClient = new OpenLoadClient(address, load);
      } else {
        client = new LoadClient(address, load);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// With many requests under way a server is called far more often.
  @Override
  public void practise(Duration time) throws ForkFailedException {
    var pipelined = new Load(load.dialogue(), load.connections(), PRACTICE_DEPTH);
    long end = System.nanoTime() + time.toNanos();
    try (var crowd = new LoadClient(address, pipelined)) {
      while (System.nanoTime() < end) {
        crowd.run(PRACTICE_REQUESTS);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public void begin(long count) {
    operations = count;
  }

  /// Runs the whole round, in the caller's thread. With a rate its operations are milliseconds.
  @Override
  public Sample end(Duration limit) throws ForkFailedException {
    if (load.rate().isPresent()) {
      return paced(load.rate().getAsInt());
    }
    LoadClient asking = client;
    if (asking == null) {
      throw new IllegalStateException("A round before its case was opened");
    }
    Map<String, Double> before = counts();
    try {
      clock.start();
      asking.run(operations);
      return with(clock.stop(operations), before, counts());
    } catch (IOException | IllegalStateException e) {
      throw failed(e);
    }
  }

  private Sample paced(int rate) throws ForkFailedException {
    OpenLoadClient asking = openClient;
    if (asking == null) {
      throw new IllegalStateException("A round before its case was opened");
    }
    try {
      double interval = SECOND_NANOS / rate;
      long count = Math.max(1, (long) (operations * MILLI_NANOS / interval));
      Map<String, Double> before = counts();
      clock.start();
      Histogram latencies = asking.run(count, interval);
      Sample sample = with(clock.stop(count), before, counts());
      return Latencies.in(sample, latencies, rate);
    } catch (IOException | IllegalStateException e) {
      throw failed(e);
    }
  }

  private static Sample with(Sample sample, Map<String, Double> before, Map<String, Double> after) {
    Sample more = sample;
    for (Map.Entry<String, Double> count : after.entrySet()) {
      Double then = before.get(count.getKey());
      if (then != null) {
        more = more.with(count.getKey(), (count.getValue() - then) / sample.operations());
      }
    }
    return more;
  }

  /// What a JVM counts of itself; other runtimes tell nothing.
  private Map<String, Double> counts() throws ForkFailedException {
    if (!(serving.host() instanceof Workload.Jvm)) {
      return Map.of();
    }
    forkedProcess.say(ServerMain.COUNTS);
    return Wire.counts(forkedProcess.take(ForkedProcess.START_LIMIT));
  }

  private ForkFailedException failed(Exception e) {
    return new ForkFailedException(
        e.getMessage() + "; the server's error output: " + forkedProcess.lastWords());
  }

  private void closeClient() throws IOException {
    if (openClient != null) {
      openClient.close();
      openClient = null;
    }
    if (client != null) {
      client.close();
      client = null;
    }
  }

  @Override
  public void close() {
    try {
      closeClient();
    } catch (IOException _) {
      // safe: the sockets are gone all the same
    }
    forkedProcess.close();
  }
}
