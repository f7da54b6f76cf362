// SPDX-License-Identifier: Apache-2.0

/// What loops and process runtimes count, as meters of Micrometer.
@org.jspecify.annotations.NullMarked
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Micrometer's library has no module descriptor
module dev.heddle.metrics {
  requires transitive dev.heddle;
  requires static transitive dev.heddle.process; // only for the meters of runtimes
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires transitive micrometer.core; // registries, in the signatures

  exports dev.heddle.metrics;
}
