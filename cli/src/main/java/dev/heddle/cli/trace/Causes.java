// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.cli.trace.Arrows.Arrow;
import dev.heddle.cli.trace.Commands.Command;
import dev.heddle.cli.trace.Messages.Message;
import org.jspecify.annotations.Nullable;

/// What is known of the entries of one thread beyond themselves, by the number of the entry.
final class Causes {
  final long[] places; // when it happened
  final @Nullable Arrow[] arrows; // what has caused the run that it is
  final @Nullable Command[] commands; // what it issues or completes
  final @Nullable Message[] messages; // that it receives

  Causes(
      long[] places,
      @Nullable Arrow[] arrows,
      @Nullable Command[] commands,
      @Nullable Message[] messages) {
    this.places = places;
    this.arrows = arrows;
    this.commands = commands;
    this.messages = messages;
  }
}
