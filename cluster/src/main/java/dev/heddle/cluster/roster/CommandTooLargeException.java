// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.Locale;

/// A command has more bytes than an entry of the log may have, so no log has it.
public final class CommandTooLargeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /// @param bytes that it has
  /// @param most that it may have
  CommandTooLargeException(Command command, int bytes, int most) {
    super(
        String.format(
            Locale.ROOT,
            "the %s has %,d bytes, and an entry of the log of names has at most %,d; %s",
            describe(command),
            bytes,
            most,
            remedy(command)));
  }

  /// A command in a few words: its own text has all that it contains.
  static String describe(Command command) {
    return switch (command) {
      case Command.AssignShards it ->
          "command that gives %d shards '%s' to nodes"
              .formatted(it.assignments().size(), it.type());
      case Command.ReleaseShards it ->
          "command by which node '%s' releases %d shards '%s'"
              .formatted(it.node(), it.releases().size(), it.type());
      case Command.OfferSingletons it ->
          "command by which node '%s' offers %d singletons".formatted(it.node(), it.names().size());
      case Command.DeclareSingleton it ->
          "declaration of singleton '%s'".formatted(it.spec().name());
      default -> command.toString(); // its size does not depend on how many things there are
    };
  }

  private static String remedy(Command command) {
    return switch (command) {
      case Command.AssignShards _, Command.ReleaseShards _, Command.OfferSingletons _ ->
          "start the node that has sent it with this release, which sends several small ones";
      case Command.DeclareSingleton _ ->
          "use a smaller input, fewer labels of its place, or fewer message types at this node";
      default -> "use shorter names";
    };
  }
}
