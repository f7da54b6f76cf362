// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Tool;
import dev.heddle.bench.shape.Workload;
import dev.heddle.bench.shape.Workload.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Programs in other languages, `bench/peers`: built when their toolchain is there, and missing
/// with the reason when it is not, or when the build fails.
public final class Peers {
  private static final Path HOME =
      Path.of(
              Objects.requireNonNullElse(
                  System.getenv("HEDDLE_HOME"), System.getProperty("heddle.root", "")))
          .toAbsolutePath();
  private static final Path SOURCES = HOME.resolve("bench").resolve("peers");
  private static final String RUSTUP_HOME = "RUSTUP_HOME";
  private static final String TOOLCHAINS = ".rustup";
  private static final List<String> SUFFIXES = List.of(".go", ".rs", ".js", ".erl");
  private static final Path BUILT = HOME.resolve(".heddle").resolve("build").resolve("peers");

  private Peers() {}

  /// Builds what a shape needs; a failure shows when the contender starts.
  ///
  /// @param progress told what is built
  public static void build(Shape shape, Consumer<String> progress) {
    Set<Language> languages = new LinkedHashSet<>();
    for (Contender contender : shape.contenders()) {
      contender.peer().map(Workload.Peer::language).ifPresent(languages::add);
    }
    for (Language language : languages) {
      Optional<Path> tool = tool(language);
      if (tool.isPresent() && language != Language.NODE) {
        progress.accept("building bench/peers/" + folder(language));
        build(language, tool.get());
      }
    }
  }

  /// The command that starts a program.
  ///
  /// @throws ForkFailedException when it cannot be had, with the reason
  static List<String> command(Workload.Peer peer) throws ForkFailedException {
    Language language = peer.language();
    Path tool =
        tool(language)
            .orElseThrow(
                () -> new ForkFailedException("'" + language.command() + "' is not on the PATH"));
    if (language == Language.NODE) {
      return List.of(
          tool.toString(), source(language).resolve("server.js").toString(), peer.task());
    }
    if (!Files.exists(program(language))) {
      throw new ForkFailedException("its build failed; the log is " + log(language));
    }
    return language == Language.ERLANG
        ? erlang(tool, peer.task())
        : List.of(program(language).toString(), peer.task());
  }

  private static List<String> erlang(Path compiler, String module) {
    return List.of(
        compiler.resolveSibling("erl").toString(),
        "-noshell",
        "+P", // the default of 262,144 processes is too few for skynet
        "2097152",
        "-pa",
        built(Language.ERLANG).toString(),
        "-s",
        module,
        "main");
  }

  /// Where the programs of a shape are, below the project's folder: the files that name it or one
  /// of its cases between quotes, or the server.
  public static List<String> files(Workload.Peer peer, Shape shape) throws IOException {
    Stream<String> names =
        peer.task().equals(Workload.Peer.ROUNDS)
            ? Stream.concat(Stream.of(shape.name()), shape.cases().stream().map(Case::name))
            : Stream.of(peer.task());
    Pattern quoted = Pattern.compile(names.collect(Collectors.joining("|", "[\"'](", ")[\"']")));
    List<String> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(source(peer.language()))) {
      for (Path file : all.filter(Peers::isSource).sorted().toList()) {
        if (quoted.matcher(Files.readString(file)).find()) {
          files.add(HOME.relativize(file).toString());
        }
      }
    }
    return files;
  }

  private static boolean isSource(Path file) {
    return SUFFIXES.stream().anyMatch(file.toString()::endsWith);
  }

  static boolean isToolThere(Language language) {
    return tool(language).isPresent();
  }

  private static void build(Language language, Path tool) {
    try {
      Files.createDirectories(built(language));
      var builder =
          new ProcessBuilder(buildCommand(language, tool))
              .directory(source(language).toFile())
              .redirectErrorStream(true)
              .redirectOutput(log(language).toFile());
      toolchains(tool, builder.environment())
          .ifPresent(folder -> builder.environment().put(RUSTUP_HOME, folder.toString()));
      int code = builder.start().waitFor();
      if (code != 0) {
        Files.deleteIfExists(program(language)); // an old one would pass for this one
      }
    } catch (IOException e) {
      throw new IllegalStateException("Cannot build " + source(language), e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> buildCommand(Language language, Path tool) {
    String command = tool.toString();
    String out = built(language).toString();
    return switch (language) {
      case GO -> List.of(command, "build", "-o", program(language).toString(), ".");
      case TOKIO -> List.of(command, "build", "--release", "--locked", "--target-dir", out);
      case ERLANG -> List.of(command, "-o", out, "rounds.erl");
      case NODE -> throw new IllegalArgumentException("JavaScript is not built");
    };
  }

  /// Where rustup has its toolchains, if nobody says so and it would not find them: it looks in the
  /// home of who runs it, which need not be the home that it was installed in.
  static Optional<Path> toolchains(Path tool, Map<String, String> environment) {
    Path bin = tool.toAbsolutePath().getParent();
    if (environment.containsKey(RUSTUP_HOME) || bin == null || !bin.endsWith(".cargo/bin")) {
      return Optional.empty();
    }
    Path own = Path.of(environment.getOrDefault("HOME", "")).resolve(TOOLCHAINS);
    Path installed = bin.resolve("../..").resolve(TOOLCHAINS).normalize();
    return !Files.isDirectory(own) && Files.isDirectory(installed)
        ? Optional.of(installed)
        : Optional.empty();
  }

  private static Optional<Path> tool(Language language) {
    return Tool.find(language.command());
  }

  private static String folder(Language language) {
    return language.name().toLowerCase(Locale.ROOT);
  }

  private static Path source(Language language) {
    return SOURCES.resolve(folder(language));
  }

  private static Path built(Language language) {
    return BUILT.resolve(folder(language));
  }

  private static Path program(Language language) {
    return built(language)
        .resolve(
            switch (language) {
              case GO -> "peer";
              case TOKIO -> "release/server";
              case ERLANG -> "rounds.beam";
              case NODE -> throw new IllegalArgumentException("JavaScript is not built");
            });
  }

  private static Path log(Language language) {
    return BUILT.resolve(folder(language) + ".log");
  }
}
