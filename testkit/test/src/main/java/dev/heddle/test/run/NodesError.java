// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// What nodes did when a run failed.
final class NodesError extends Error {
  private static final long serialVersionUID = 1;

  NodesError(String message) {
    super(message);
  }
}
