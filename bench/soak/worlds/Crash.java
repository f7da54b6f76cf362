// SPDX-License-Identifier: Apache-2.0
package worlds;

/// What processes of these worlds fail with: without a trace, for there are very many.
final class Crash extends RuntimeException {
  private static final long serialVersionUID = 1;

  Crash() {
    super("at random", null, false, false);
  }
}
