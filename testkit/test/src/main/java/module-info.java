// SPDX-License-Identifier: Apache-2.0

/// Programs in virtual time, under a schedule that a seed decides. Start at `Simulation`.
@org.jspecify.annotations.NullMarked
module dev.heddle.test {
  requires transitive dev.heddle;
  requires dev.heddle.world;
  requires java.management; // the processor time of a run that does not end
  requires static dev.heddle.process; // its runtimes in a simulation, where the program has it
  requires static transitive org.junit.jupiter.api; // @HeddleTest, for those who test with JUnit
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing

  exports dev.heddle.test;
  exports dev.heddle.test.file;
  exports dev.heddle.test.net;
  exports dev.heddle.test.node;

  provides dev.heddle.io.dns.NameResolverProvider with
      dev.heddle.test.host.SimulatedNamesProvider;

  opens dev.heddle.test to
      org.junit.platform.commons; // creates the extension
}
