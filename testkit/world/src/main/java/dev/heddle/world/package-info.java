// SPDX-License-Identifier: Apache-2.0

/// What a simulation and the agent have to do with each other.
///
/// | enters | leaves |
/// |---|---|
/// | what rewritten classes ask, by way of the hook in `java.lang` | answers of a `World` |
/// | turns of the loop, by way of `OpenWorld` | threads, their states and hash codes |
///
/// Threads: a `World` is asked on its carriers only; each method of it names its exceptions. Read
/// `World` first, then `OpenWorld`.
package dev.heddle.world;
