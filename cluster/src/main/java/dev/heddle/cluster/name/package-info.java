// SPDX-License-Identifier: Apache-2.0
/// Names and the lease of one node: what it owns by a majority of the voters, and for how long.
///
/// | enters | leaves |
/// |---|---|
/// | what the log applies: from `NameStore` at a voter, from a voter's session at other nodes | commands for the log |
/// | requests of the program | tokens, owners, refusals |
/// | the end of processes, the end of the lease | names given back; processes that are to end |
///
/// Threads: all of it runs on the agent thread of the node, one task after the other; other threads
/// leave tasks there. What answers at once (`lookup`, `token`, `mayAct`) reads published values.
/// Read `NameService`, then `NameTable`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.name;
