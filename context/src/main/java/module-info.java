// SPDX-License-Identifier: Apache-2.0

/// Thread-local contexts of other libraries in coroutines, by Micrometer's accessors.
@org.jspecify.annotations.NullMarked
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Micrometer's library has no module descriptor
module dev.heddle.context {
  requires transitive dev.heddle;
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires transitive context.propagation; // snapshots, in the signatures

  exports dev.heddle.context;
}
