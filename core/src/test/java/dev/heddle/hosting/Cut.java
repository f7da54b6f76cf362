// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

/// What cuts a wait.
enum Cut {
  CANCEL,
  WITHIN,
  TOKEN,
  SCOPE_FAILURE,
  SHUTDOWN
}
