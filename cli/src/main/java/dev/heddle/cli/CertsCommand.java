// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.certificates.ClusterCertificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle cluster certs`: keys and certificates for the nodes of a cluster.
@Command(
    name = "certs",
    description = "Makes keys and certificates for the nodes of a cluster.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "In DIR: authority.p12, which signs and stays there; trust.p12, for every node;",
      "NAME.p12, for the node of that name; password, of all of them. Later calls with",
      "the same DIR add nodes. Nothing is overwritten. Valid for ten years."
    })
final class CertsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "DIR", description = "The directory to write to.")
  private @Nullable Path directory;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "NAME",
      description = "The names of the nodes.")
  private List<String> nodes = List.of();

  @Override
  public Integer call() throws InterruptedException {
    Path to = directory == null ? Path.of("") : directory; // picocli demands it
    PrintWriter out = spec.commandLine().getOut();
    try {
      new ClusterCertificates(to).make(nodes).forEach(out::println);
    } catch (IOException e) {
      spec.commandLine().getErr().println("heddle: " + e.getMessage());
      return ExitCode.FAILURE;
    } finally {
      out.flush();
    }
    return ExitCode.OK;
  }
}
