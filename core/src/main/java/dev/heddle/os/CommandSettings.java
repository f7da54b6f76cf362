// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.os.spawn.SpawnPlan;
import dev.heddle.os.spawn.SpawnPlan.Group;
import dev.heddle.os.spawn.SpawnPlan.TerminalSize;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The settings of a [Command]. Changed only while the command is constructed.
final class CommandSettings {
  private static final Duration DEFAULT_KILL_GRACE = Duration.ofSeconds(5);
  private static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(1);
  private static final int DEFAULT_LINE_LIMIT = 1 << 20; // bytes
  private static final int MAX_OUTPUT_LIMIT = 65_535; // 16 bits in the system's structure
  private static final int DEFAULT_OUTPUT_LIMIT = 64 << 20; // bytes

  final List<String> line;
  final Map<String, @Nullable String> environment;
  @Nullable Path directory;
  boolean withoutInheritedEnvironment;
  Redirect input = Redirect.PIPE;
  byte @Nullable [] text;
  Redirect output = Redirect.PIPE;
  Redirect error = Redirect.PIPE;
  boolean merged;
  Charset charset = StandardCharsets.UTF_8;
  Duration killGrace = DEFAULT_KILL_GRACE;
  Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  int lineLimit = DEFAULT_LINE_LIMIT;
  int outputLimit = DEFAULT_OUTPUT_LIMIT;
  Group group = Group.INHERITED;
  @Nullable TerminalSize terminal;

  CommandSettings(List<String> line) {
    this.line = line;
    this.environment = new LinkedHashMap<>();
  }

  CommandSettings(CommandSettings from) {
    line = from.line;
    environment = new LinkedHashMap<>(from.environment);
    directory = from.directory;
    withoutInheritedEnvironment = from.withoutInheritedEnvironment;
    input = from.input;
    text = from.text;
    output = from.output;
    error = from.error;
    merged = from.merged;
    charset = from.charset;
    killGrace = from.killGrace;
    drainTimeout = from.drainTimeout;
    lineLimit = from.lineLimit;
    outputLimit = from.outputLimit;
    group = from.group;
    terminal = from.terminal;
  }

  static void requirePositive(int lineLimit) {
    if (lineLimit < 1) {
      throw new IllegalArgumentException("the limit of a line must be positive, not " + lineLimit);
    }
  }

  static TerminalSize size(int columns, int rows) {
    if (columns < 1 || columns > MAX_OUTPUT_LIMIT || rows < 1 || rows > MAX_OUTPUT_LIMIT) {
      throw new IllegalArgumentException(
          "a terminal has 1 to 65535 columns and rows, not " + columns + " x " + rows);
    }
    return new TerminalSize(columns, rows);
  }

  Stream<File> files() {
    return Stream.of(input, output, error).flatMap(each -> Stream.ofNullable(each.file()));
  }

  ProcessBuilder builder() {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectInput(input)
            .redirectOutput(output)
            .redirectError(error)
            .redirectErrorStream(merged);
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    Map<String, String> own = builder.environment();
    if (withoutInheritedEnvironment) {
      own.clear();
    }
    environment.forEach((name, value) -> {
      if (value == null) {
        own.remove(name);
      } else {
        own.put(name, value);
      }
    });
    return builder;
  }

  SpawnPlan plan() {
    return new SpawnPlan(
        line,
        environment,
        withoutInheritedEnvironment,
        directory,
        input,
        output,
        error,
        merged,
        group,
        terminal);
  }

  /// Throws if it has settings that the JDK does not support: a process group of its own.
  void requireNothingNative(String why) {
    if (group != Group.INHERITED || terminal != null) {
      throw new UnsupportedOperationException(
          ("a child has a %s of its own only where Heddle starts it natively, and here the JDK"
                  + " does: %s")
              .formatted(terminal == null ? "process group or session" : "terminal", why));
    }
  }

  boolean pipesInput() {
    return input == Redirect.PIPE || terminal != null;
  }

  boolean pipesOutput() {
    return output == Redirect.PIPE || terminal != null;
  }

  boolean pipesError() {
    return error == Redirect.PIPE && !merged && terminal == null;
  }

  String program() {
    return line.getFirst();
  }

  @Override
  public String toString() {
    return String.join(" ", line);
  }
}
