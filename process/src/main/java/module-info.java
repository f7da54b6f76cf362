// SPDX-License-Identifier: Apache-2.0

/// Isolated state machines on all cores: addressed by PID, fed by messages, supervised. Start at
/// `ProcessRuntime`.
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // dev.heddle.test and dev.heddle.cluster are compiled after this one
module dev.heddle.process {
  requires transitive dev.heddle;
  requires java.management; // runtimes as MXBeans
  requires static jdk.jfr; // events, where it is there
  requires transitive java.net.http; // the results of its commands
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing

  exports dev.heddle.process;
  exports dev.heddle.process.behavior;
  exports dev.heddle.process.event;
  exports dev.heddle.process.pool;
  exports dev.heddle.process.supervisor;

  // for processes of other nodes
  exports dev.heddle.process.links to
      dev.heddle.cluster;
  exports dev.heddle.process.remote to
      dev.heddle.cluster;

  // for runtimes in a simulation, and for the thread that runs them
  exports dev.heddle.process.scheduler to
      dev.heddle.test;
  exports dev.heddle.process.simulation to
      dev.heddle.test;
}
