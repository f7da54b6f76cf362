// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.console.Browser;
import dev.heddle.cli.console.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle console`: running programs, on a web page.
@Command(
    name = "console",
    description =
        "Shows running programs on a web page: loops and runtimes, coroutines, who waits for whom,"
            + " processes, holds and reports.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "The page is served on 127.0.0.1, by this command, until Ctrl-C. Its URL has a",
      "random part: only who has the URL can open it. Shows JVMs of the same user only."
    })
final class ConsoleCommand implements Callable<Integer> {
  private static final int LAST_PORT = 65_535;
  private static final Duration OWN_HOLDS = Duration.ofSeconds(10);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..*",
      paramLabel = "PID",
      description = "The JVMs to show; all that run Heddle, also later, unless given.")
  private List<Long> pids = new ArrayList<>();

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "0",
      description = "The port of the page; a free one unless given.")
  private int port;

  @Option(names = "--no-browser", description = "Print the URL, and open no browser.")
  private boolean noBrowser;

  @Override
  public Integer call() throws AttachException, IOException {
    if (port < 0 || port > LAST_PORT) {
      throw new ParameterException(spec.commandLine(), "--port " + port + ": there is no such");
    }
    PrintWriter out = spec.commandLine().getOut();
    OperatorLog.writeTo(spec.commandLine().getErr());
    try (Browser browser = new Browser()) {
      Heddle.run(
          HeddleOptions.defaults()
              .withName("console")
              .withHoldLimit(OWN_HOLDS) // it loads classes when the page is opened
              .withSignalHandling(),
          () ->
              new Console(pids, port)
                  .serve(url -> {
                    out.println("The console is at " + url + "  (Ctrl-C ends it)");
                    out.flush();
                    if (!noBrowser) {
                      out.println("If your browser does not show it, open this URL there.");
                      out.flush();
                      browser.open(url);
                    }
                  }));
      return ExitCode.OK;
    } catch (ExitException e) {
      return e.code();
    } catch (Cancellation _) {
      return ExitCode.OK;
    } catch (CoroutineException e) {
      return failure(e);
    }
  }

  private int failure(CoroutineException e) throws AttachException {
    if (e.getCause() instanceof AttachException failed) {
      throw failed;
    }
    if (e.getCause() instanceof IOException failed) {
      spec.commandLine().getErr().println("heddle: " + failed.getMessage());
      return ExitCode.FAILURE;
    }
    throw e;
  }
}
