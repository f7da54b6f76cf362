// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `heddle cluster`: what clusters of several nodes need, and what nodes see.
@Command(
    name = "cluster",
    description = "Makes what a cluster of several nodes needs, and shows what nodes see.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {CertsCommand.class, StatusCommand.class})
final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command: certs, status");
  }
}
