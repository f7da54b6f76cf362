// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Rendezvous hashing: which node a key belongs to. All nodes come to the same answer. When a node
/// joins or leaves, only the keys move that it gets or had.
///
/// The numbers are part of the contract between releases: changed ones would move every key.
public final class Rendezvous {
  private static final long OFFSET = 0xcbf29ce484222325L; // of FNV-1a, with 64 bits
  private static final long PRIME = 0x100000001b3L;

  private Rendezvous() {}

  /// The node with the highest hash of key and name; of equal ones, the first by name.
  ///
  /// @param nodes names, each once
  /// @return null when there is no node
  public static @Nullable String choose(String key, Collection<String> nodes) {
    return new Candidates(nodes).choose(key);
  }

  /// Nodes among which one is chosen for many keys.
  static final class Candidates {
    private final String[] nodes;
    private final long[] hashes; // of the nodes

    /// @param nodes names, each once
    Candidates(Collection<String> nodes) {
      this.nodes = nodes.toArray(new String[0]);
      this.hashes = new long[this.nodes.length];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = hash(this.nodes[i]);
      }
    }

    /// As [Rendezvous#choose].
    @Nullable String choose(String key) {
      long keyHash = hash(key);
      String best = null;
      long highest = 0;
      for (int i = 0; i < nodes.length; i++) {
        long weight = mix(keyHash ^ hashes[i]);
        boolean isHigher = best == null || weight > highest;
        if (isHigher || (weight == highest && nodes[i].compareTo(best) < 0)) {
          best = nodes[i];
          highest = weight;
        }
      }
      return best;
    }
  }

  /// A hash of 64 bits of a text in UTF-8: FNV-1a, mixed so that each bit depends on all.
  public static long hash(String text) {
    long hash = OFFSET;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * PRIME;
    }
    return mix(hash);
  }

  /// The finalizer of MurmurHash3.
  private static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 33)) * 0xff51afd7ed558ccdL;
    x = (x ^ (x >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return x ^ (x >>> 33);
  }
}
