// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.io.PrintStream;

/// What one contender does for a shape with clients: a server in a JVM of its own, on a port of the
/// loopback address that the system chooses.
public interface Server {
  /// Serves until the process ends.
  ///
  /// @param output to say what else it runs on, a line each, and then where it listens, by a line
  ///   that ends in `:PORT` or `:PORT/`
  void serve(PrintStream output) throws Exception;
}
