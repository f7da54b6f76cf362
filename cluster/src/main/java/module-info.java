// SPDX-License-Identifier: Apache-2.0

/// Processes over several machines: the process API across nodes. Start at `Cluster`.
@org.jspecify.annotations.NullMarked
@SuppressWarnings({
  "requires-automatic", // JGroups has a name for its module, and no module-info
  "module" // the module of the voters is built after this one
})
module dev.heddle.cluster {
  requires transitive dev.heddle.process;
  requires java.management; // clusters as MXBeans
  requires static jdk.jfr; // events, where it is there
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires org.jgroups;

  exports dev.heddle.cluster;
  exports dev.heddle.cluster.roster to
      dev.heddle.cluster.ratis; // the log of voters

  uses dev.heddle.cluster.roster.NameStoreProvider; // only when voters are named
}
