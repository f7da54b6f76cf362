// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Outcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Voters that [RaftGate] harms: in one JVM, or in JVMs of their own.
interface GateVoters extends AutoCloseable {
  List<String> names();

  /// Has a voter submit a command; fails when that voter does not run.
  CompletableFuture<Outcome> submit(String voter, Command command);

  boolean leads(String voter) throws Exception;

  /// The state of a voter that runs; equal states are equal bytes.
  byte[] state(String voter) throws Exception;

  /// Loses what goes to it and comes from it.
  void isolate(String voter);

  void heal();

  void kill(String voter) throws Exception;

  void start(String voter) throws Exception;

  /// Stops a voter for a while, without its knowledge.
  ///
  /// @return false when these voters cannot be stopped
  boolean pause(String voter) throws Exception;

  void resume(String voter) throws Exception;

  /// What the voters do and have said, for a failure.
  String describe();

  @Override
  void close();
}
