// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// Says that a life of a node held the lock of the node's directory when it started.
///
/// The start number is kept in the directory and grows under its lock. Of two lives with the same
/// directory, the one with the higher number started after the other had lost the lock, so the
/// other has ended.
///
/// @param directory the random id of the directory
/// @param start how often a life has started there; from 1
public record StorageProof(long directory, long start) {
  /// Whether a life with this proof has started after the life with the `other` one had ended.
  boolean supersedes(StorageProof other) {
    return directory == other.directory && start > other.start;
  }
}
