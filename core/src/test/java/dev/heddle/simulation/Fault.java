// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

/// A failure that a random program makes on purpose; each one differs from all others.
final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1;

  Fault(String message) {
    super(message, null, true, false); // where it is thrown says nothing: in the program
  }
}
