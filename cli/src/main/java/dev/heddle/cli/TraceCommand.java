// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.text.Printable;
import dev.heddle.cli.trace.Capture;
import dev.heddle.cli.trace.TraceJson;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle trace`: what the coroutines of a running program do, switch by switch, as a file for a
/// viewer.
@Command(
    name = "trace",
    description =
        "Records each run, wait and wake-up of the coroutines and processes of a running program,"
            + " with who woke whom, into a file that ui.perfetto.dev and heddle console open.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "For JVMs of the same user. Of each loop and worker the last half million entries",
      "are kept; older ones are lost, and counted. The program pays for it while it is recorded",
      "(docs/how-to/record-a-trace.md), and nothing before and after."
    })
final class TraceCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 3_600;
  private static final int BUFFER = 1 << 16;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "1", paramLabel = "PID", description = "The process, see heddle ps.")
  private long pid;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How long to record; ${DEFAULT-VALUE} unless given.")
  private int seconds;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "The file to write; heddle-PID.json.gz unless given. Compressed if its name ends in .gz.")
  private @Nullable Path output;

  @Override
  public Integer call() throws AttachException, IOException {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new ParameterException(
          spec.commandLine(), "--seconds " + seconds + ": from 1 to " + MAX_SECONDS);
    }
    Path file = output == null ? Path.of("heddle-" + pid + ".json.gz") : output;
    boolean existed = Files.exists(file);
    boolean written = false;
    try (Watch watch = Watch.of(pid)) {
      written = canWrite(file) && record(watch, file);
    } finally {
      if (!written && !existed) {
        boolean _ = Files.deleteIfExists(file);
      }
    }
    return written ? ExitCode.OK : ExitCode.FAILURE;
  }

  /// Whether the file can be written, before anything is recorded; if not, that was said. A file
  /// that is there keeps what it has until there is something to write.
  private boolean canWrite(Path file) {
    try (OutputStream _ =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      return true;
    } catch (NoSuchFileException _) {
      err().println("heddle: cannot write " + file + ": its folder is not there");
    } catch (IOException e) {
      String why = Files.isDirectory(file) ? "it is a folder" : e.toString();
      err().println("heddle: cannot write " + file + ": " + why);
    }
    return false;
  }

  private boolean record(Watch watch, Path file) throws AttachException, IOException {
    Capture.Result captured = new Capture(watch).run(Duration.ofSeconds(seconds));
    captured.refused().forEach(why -> err().println("heddle: " + Printable.of(why)));
    if (captured.threads().isEmpty()) {
      if (captured.refused().isEmpty()) {
        err().println("heddle: process " + pid + " runs neither loops nor processes now");
      }
      return false;
    }
    TraceJson.Written written = TraceJson.write(writer(file), pid, captured);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s: %,d entries of %d s, %,d arrows%s%n",
        file, written.recorded() - written.lost(), seconds, written.arrows(), lost(written));
    out.println(
        "Open it at https://ui.perfetto.dev (it stays in the browser), or in the view Trace of heddle"
            + " console.");
    out.flush();
    return true;
  }

  private static String lost(TraceJson.Written written) {
    return written.lost() == 0
        ? ""
        : "; the %,d oldest were lost: record for a shorter time".formatted(written.lost());
  }

  private static Writer writer(Path file) throws IOException {
    OutputStream opened = Files.newOutputStream(file);
    OutputStream compressed =
        file.toString().endsWith(".gz") ? new GZIPOutputStream(opened, BUFFER) : opened;
    return new BufferedWriter(
        new OutputStreamWriter(
            new BufferedOutputStream(compressed, BUFFER), StandardCharsets.UTF_8),
        BUFFER);
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
