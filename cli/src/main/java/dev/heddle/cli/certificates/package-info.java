// SPDX-License-Identifier: Apache-2.0
/// The keys and certificates of the nodes of a cluster, as files.
///
/// | enters | leaves |
/// |---|---|
/// | a directory, names of nodes | PKCS12 stores in it |
///
/// Threads: that of the command. Read `ClusterCertificates`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cli.certificates;
