// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.measure.HostLoad;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.result.Conditions;
import dev.heddle.bench.result.Figures;
import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// All that is known of a shape's run, in memory or in a file as well.
public final class RoundLog {
  /*
   * Format. A line for each fact, its parts between tabs, in the order in which it became known:
   *
   *   setup KEY TEXT            machine, effort, shape, size of a case, flags of a contender
   *   runtime CONTENDER TEXT    it has started, and says that it runs on this
   *   source CONTENDER TEXT     where its program is
   *   missing CONTENDER TEXT    it cannot take part, or has left
   *   sample CASE CONTENDER ... it had its turn in the round that ends with the next line `round`
   *   round CASE END FOREIGN STEAL AVERAGE
   *   done CASE                 no more rounds were wanted, or there was no more time
   *
   * I1. A round is there or is not: samples without a line `round` behind them count for nothing,
   *     and so does a last line without its end. What a killed run has written is read that way,
   *     and the next line follows where the last whole one ended. [RoundLogTest]
   * I2. What a later line says of a contender takes the place of what an earlier one said.
   * I3. A log has one setup: rounds of another one are not added. [RoundLogTest]
   */
  private static final String SETUP = "setup";
  private static final String RUNTIME = "runtime";
  private static final String SOURCE = "source";
  private static final String MISSING = "missing";
  private static final String SAMPLE = "sample";
  private static final String ROUND = "round";
  private static final String DONE = "done";
  private static final String TAB = "\t";
  private static final int ROUND_FIELDS = 6;

  private final @Nullable Path file;
  private final Map<String, String> setup = new LinkedHashMap<>();
  private final Map<String, String> runtimes = new LinkedHashMap<>();
  private final Map<String, Set<String>> sources = new LinkedHashMap<>();
  private final Map<String, String> missing = new LinkedHashMap<>();
  private final List<Round> rounds = new ArrayList<>();
  private final Set<String> done = new HashSet<>();

  private RoundLog(@Nullable Path file) {
    this.file = file;
  }

  /// An empty one that no file keeps.
  public static RoundLog inMemory() {
    return new RoundLog(null);
  }

  /// One with what a file has, if there is one, and which adds to it.
  ///
  /// @throws IOException when the file cannot be read, or is none of ours
  public static RoundLog inFile(Path file) throws IOException {
    var log = new RoundLog(file);
    if (Files.exists(file)) {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      String whole = whole(text);
      if (whole.length() < text.length()) {
        truncate(file, whole.getBytes(StandardCharsets.UTF_8).length);
      }
      log.read(whole, file);
    }
    return log;
  }

  /// One with what a file has, which leaves the file alone: a run may be adding to it.
  ///
  /// @throws IOException when the file cannot be read, or is none of ours
  public static RoundLog copyOf(Path file) throws IOException {
    var log = new RoundLog(null);
    log.read(whole(Files.readString(file, StandardCharsets.UTF_8)), file);
    return log;
  }

  private static String whole(String text) {
    return text.substring(0, text.lastIndexOf('\n') + 1);
  }

  /// What is measured from here on, where, and how thoroughly.
  ///
  /// @param machine one line for people
  /// @param effort one line for people
  /// @throws IOException when there are rounds of something else, or nobody knows of what
  public void begin(Shape shape, String machine, String effort) throws IOException {
    Map<String, String> now = Setup.of(shape);
    now.put(Setup.MACHINE, oneLine(machine).strip());
    now.put(Setup.EFFORT, oneLine(effort).strip());
    if (!rounds.isEmpty() && !setup.containsKey(Setup.SHAPE)) {
      throw another("what they measure");
    }
    for (Map.Entry<String, String> part : now.entrySet()) {
      if (!setup.getOrDefault(part.getKey(), part.getValue()).equals(part.getValue())) {
        throw another(part.getKey());
      }
    }
    now.forEach((key, text) -> {
      if (setup.putIfAbsent(key, text) == null) {
        write(SETUP, key, text);
      }
    });
  }

  private IOException another(String what) {
    return new IOException(
        "The rounds in %s were measured otherwise (%s); remove the file to measure anew"
            .formatted(file, what));
  }

  /// Whether it is known that this shape was measured, with cases and contenders as they were then.
  public boolean isOf(Shape shape) {
    return setup.containsKey(Setup.SHAPE) && isAsNow(Setup.SHAPE, Setup.of(shape));
  }

  /// Where that was.
  public String machine() {
    return setup.getOrDefault(Setup.MACHINE, "an unknown machine");
  }

  /// How thorough that was.
  public String effort() {
    return setup.getOrDefault(Setup.EFFORT, "Of an unknown effort.");
  }

  /// A log without a setup has what is measured now.
  private boolean isAsNow(String key, Map<String, String> now) {
    return setup.isEmpty()
        || Objects.equals(Setup.ofAnyProcessor(setup.get(key)), Setup.ofAnyProcessor(now.get(key)));
  }

  /// A contender has started.
  public void started(String contender, String runtime) {
    missing.remove(contender);
    runtimes.put(contender, oneLine(runtime));
    write(RUNTIME, contender, runtime);
  }

  /// Where a contender's program is.
  public void source(String contender, String source) {
    if (sources.computeIfAbsent(contender, _ -> new LinkedHashSet<>()).add(oneLine(source))) {
      write(SOURCE, contender, source);
    }
  }

  /// A contender cannot take part, or has left.
  public void missing(String contender, String reason) {
    missing.put(contender, oneLine(reason));
    write(MISSING, contender, reason);
  }

  /// A round has ended.
  public void add(Round round) {
    rounds.add(round);
    var lines = new StringBuilder();
    round
        .samples()
        .forEach((name, sample) ->
            lines
                .append(line(SAMPLE, round.size(), name))
                .append(TAB)
                .append(sample.fields())
                .append('\n'));
    HostLoad load = round.load();
    lines.append(
        line(
            ROUND,
            round.size(),
            round.end().toString(),
            Double.toString(load.foreign()),
            Double.toString(load.steal()),
            Double.toString(load.average())));
    append(lines.append('\n').toString());
  }

  /// No more rounds of this case are wanted, or there is no more time for them.
  public void done(String size) {
    done.add(size);
    write(DONE, size);
  }

  /// The rounds of a case, in order.
  public List<Round> rounds(String size) {
    return rounds.stream().filter(round -> round.size().equals(size)).toList();
  }

  /// Whether a case needs no more: it is done, and was not measured beside load.
  public boolean isComplete(Case size) {
    return done.contains(size.name()) && !Choice.of(rounds(size.name())).besideLoad();
  }

  /// Whether no case of a shape needs more.
  public boolean isComplete(Shape shape) {
    return shape.cases().stream().allMatch(this::isComplete);
  }

  /// Why a contender cannot take part, if it cannot.
  public Optional<String> missing(String contender) {
    return Optional.ofNullable(missing.get(contender));
  }

  /// When the last round ended.
  public Optional<Instant> end() {
    return rounds.isEmpty() ? Optional.empty() : Optional.of(rounds.getLast().end());
  }

  /// What the rounds so far say of the shape as it is now: without cases that had another size, and
  /// without contenders that had other flags or another program.
  public ShapeResult result(Shape shape) {
    Map<String, String> now = Setup.of(shape);
    Map<String, Map<String, Figures>> figures = new LinkedHashMap<>();
    Map<String, Conditions> conditions = new LinkedHashMap<>();
    for (Case size : shape.cases()) {
      boolean asNow = isAsNow(Setup.of(size), now);
      Choice choice = Choice.of(asNow ? rounds(size.name()) : List.of());
      conditions.put(size.name(), choice.conditions());
      Map<String, Figures> byContender = new LinkedHashMap<>();
      shape.contenders().stream()
          .filter(contender -> contender.isIn(size))
          .forEach(contender ->
              byContender.put(
                  contender.name(),
                  isAsNow(Setup.of(contender), now)
                      ? figures(choice, contender.name())
                      : Figures.missing(other(contender))));
      figures.put(size.name(), byContender);
    }
    Map<String, String> systems = new LinkedHashMap<>(runtimes);
    Map<String, List<String>> places = new LinkedHashMap<>();
    sources.forEach((contender, found) -> places.put(contender, List.copyOf(found)));
    shape.contenders().stream()
        .filter(contender -> !isAsNow(Setup.of(contender), now))
        .map(Contender::name)
        .forEach(name -> {
          systems.remove(name);
          places.remove(name);
        });
    return new ShapeResult(shape, systems, figures, conditions, places, flagsThen(shape, now));
  }

  // of the run: the launcher may have set others than it does on this processor
  private Map<String, String> flagsThen(Shape shape, Map<String, String> now) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (Contender contender : shape.contenders()) {
      String then = setup.get(Setup.of(contender));
      if (then != null && isAsNow(Setup.of(contender), now)) {
        flags.put(contender.name(), Setup.flagsIn(then));
      }
    }
    return flags;
  }

  private String other(Contender contender) {
    return setup.containsKey(Setup.of(contender))
        ? "measured with other flags, or as another program"
        : "it did not take part at that commit";
  }

  private Figures figures(Choice choice, String contender) {
    List<Sample> samples = new ArrayList<>();
    for (Round round : choice.rounds()) {
      Sample sample = round.samples().get(contender);
      if (sample != null) {
        samples.add(sample);
      }
    }
    boolean always = !samples.isEmpty() && samples.size() == choice.rounds().size();
    return always
        ? Figures.of(samples)
        : Figures.missing(missing.getOrDefault(contender, "it never ran"));
  }

  private void read(String text, Path from) throws IOException {
    Map<String, Sample> pending = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      try {
        read(line.split(TAB), line, pending);
      } catch (RuntimeException e) {
        throw new IOException(
            "%s has a line that is none of ours; remove the file to measure anew: %s"
                .formatted(from, line),
            e);
      }
    }
  }

  private void read(String[] parts, String line, Map<String, Sample> pending) {
    switch (parts[0]) {
      case SETUP -> setup.put(parts[1], parts[2]);
      case RUNTIME -> {
        missing.remove(parts[1]);
        runtimes.put(parts[1], parts[2]);
        pending.clear();
      }
      case SOURCE -> sources.computeIfAbsent(parts[1], _ -> new LinkedHashSet<>()).add(parts[2]);
      case MISSING -> missing.put(parts[1], parts[2]);
      case SAMPLE -> pending.put(parts[2], Sample.parse(line.split(TAB, 4)[3]));
      case ROUND -> {
        rounds.add(round(parts, pending));
        pending.clear();
      }
      case DONE -> done.add(parts[1]);
      default -> throw new IllegalArgumentException("Unknown fact " + parts[0]);
    }
  }

  private static Round round(String[] parts, Map<String, Sample> samples) {
    if (parts.length != ROUND_FIELDS) {
      throw new IllegalArgumentException("A round has " + ROUND_FIELDS + " parts");
    }
    var load =
        new HostLoad(
            Double.parseDouble(parts[3]),
            Double.parseDouble(parts[4]),
            Double.parseDouble(parts[5]));
    return new Round(parts[1], Instant.parse(parts[2]), load, samples);
  }

  private void write(String... parts) {
    append(line(parts) + "\n");
  }

  private static String line(String... parts) {
    var line = new StringBuilder(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      line.append(TAB).append(oneLine(parts[i]));
    }
    return line.toString();
  }

  static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private void append(String lines) {
    if (file == null) {
      return;
    }
    try {
      Files.writeString(
          file,
          lines,
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot keep the rounds in " + file, e);
    }
  }

  private static void truncate(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }
}
