// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.Outcome;

/// What a node without a log and a voter tell each other.
sealed interface RosterMessage {
  /// To a voter: tell me the state, and from then on what is applied.
  ///
  /// @param number of the subscription; a higher one of the same life replaces it
  record Subscribe(long number) implements RosterMessage {}

  /// From a voter: a part of the state.
  record State(long number, Part part, byte[] content) implements RosterMessage {}

  enum Part {
    MORE,
    LAST
  }

  /// From a voter: something was applied.
  record Applied(long number, Delta delta) implements RosterMessage {}

  /// To a voter: puts a command into the log.
  record Submit(long id, Command command) implements RosterMessage {}

  /// From a voter.
  record Answered(long id, Outcome outcome) implements RosterMessage {}

  /// To a voter: a command that cannot be read here.
  record Unreadable(long id, String why) implements RosterMessage {}

  /// To a voter: asks for the index up to which all is committed that was before.
  record Barrier(long id) implements RosterMessage {}

  /// From a voter; it comes after what was applied up to then.
  record Passed(long id, long index) implements RosterMessage {}

  /// From any node: a request has failed.
  record Failed(long id, String why) implements RosterMessage {}

  /// From a node that is no voter.
  record NoVoter(String why) implements RosterMessage {}
}
