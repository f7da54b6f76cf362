// SPDX-License-Identifier: Apache-2.0

/// The agent that lets a simulation control unmodified blocking Java. For the test kit, not for
/// users: start at [dev.heddle.world.World].
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // dev.heddle.test is compiled after this one
module dev.heddle.world {
  requires java.instrument;
  requires java.management; // its count of initialised classes
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires static jdk.attach; // the helper JVM that attaches the agent has it

  exports dev.heddle.world to
      dev.heddle.test,
      java.instrument; // calls the agent, also where it is on the module path
}
