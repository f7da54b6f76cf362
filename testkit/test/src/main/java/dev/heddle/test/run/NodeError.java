// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// The program of a node has failed. The cause is what it has thrown.
public final class NodeError extends AssertionError {
  private static final long serialVersionUID = 1;

  NodeError(String node, Throwable cause) {
    super("the program of the node " + node + " has failed: " + cause, cause);
  }
}
